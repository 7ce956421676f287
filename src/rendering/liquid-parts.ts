/** The maximum length of a Liquid tag, in characters. An opening delimiter whose tag does not end within this length is text. */
const MAX_TAG = 2_000

/** Splits a text so that every second part is a Liquid tag. Delimiters in quotes do not end a tag, as in LiquidJS. */
export function liquidParts(text: string): string[] {
  const parts: string[] = []
  let from = 0
  for (const { 0: mark, index } of text.matchAll(/\{\{|\{%/g)) {
    if (index < from) continue
    const end = endOfTag(text, index + 2, mark === '{{' ? '}}' : '%}')
    if (end === undefined) continue
    parts.push(text.slice(from, index), text.slice(index, end))
    from = end
  }
  return [...parts, text.slice(from)]
}

function endOfTag(text: string, from: number, mark: string): number | undefined {
  let quote: string | undefined
  for (let at = from; at < Math.min(text.length, from + MAX_TAG); at += 1) {
    const character = text[at]
    if (quote !== undefined) {
      if (character === quote) quote = undefined
    } else if (character === '"' || character === "'") quote = character
    else if (text.startsWith(mark, at)) return at + mark.length
    // Tags cannot be nested.
    else if (character === '{' && (text[at + 1] === '{' || text[at + 1] === '%')) return undefined
  }
  return undefined
}
