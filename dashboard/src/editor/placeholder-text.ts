/** Text of a recipe or a draft that was never replaced: "1. …", "Continue here: …", "[…]", "Lorem ipsum". */
const PLACEHOLDER = /(^|[:.]\s)…|\[…\]|lorem ipsum/im

const MAX_CONTEXT = 40

/** Returns the placeholder in a text with the words before it, such as "first steps: …". */
export function placeholderIn(text: string): string | undefined {
  const found = PLACEHOLDER.exec(text)
  if (!found) return undefined
  const end = found.index + found[0].length
  const start = Math.max(0, end - MAX_CONTEXT)
  // Begins with a whole word.
  return text.slice(start, end).replace(start === 0 ? '' : /^\S*\s/, '')
}
