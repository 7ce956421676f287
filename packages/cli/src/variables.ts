/** Liquid output and tags. */
const LIQUID = /\{\{[^]*?\}\}|\{%[^]*?%\}/g
const QUOTED = /"[^"]*"|'[^']*'/g
/** A variable that the email gets from its contact, its event or the request, such as `event.data.orderId`. */
const VARIABLE = /(?<![\w.-])(?:contact|event|data)(?:\.[A-Za-z_][\w-]*)+/g

/** Finds the variables of a template, in any of its texts. Variables of a loop are found by the list that it iterates over. */
export function variablesIn(content: unknown): string[] {
  const found = new Set<string>()
  for (const text of textsIn(content)) {
    for (const [liquid] of text.matchAll(LIQUID)) {
      for (const [variable] of liquid.replaceAll(QUOTED, '""').matchAll(VARIABLE)) found.add(variable)
    }
  }
  return [...found].toSorted()
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
