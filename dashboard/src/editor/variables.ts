/** Variables in texts: `{{ contact.firstName | default: "there" }}`. */

/** A variable that a chip can show: a path, and a text for contacts without a value. */
export interface Variable {
  path: string
  fallback: string | null
}

/** The Liquid that a chip can show. Other Liquid, such as filters, stays text. */
export const VARIABLE = /\{\{\s*([a-zA-Z_][\w.-]*)\s*(?:\|\s*default:\s*(?:"([^"{}]*)"|'([^'{}]*)')\s*)?\}\}/

/** Splits a text into its parts: plain text, and variables with their Liquid. Other Liquid stays plain text. */
export function splitVariables(text: string): ({ text: string } | (Variable & { source: string }))[] {
  const parts: ReturnType<typeof splitVariables> = []
  let from = 0
  for (const match of text.matchAll(new RegExp(VARIABLE, 'g'))) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index) })
    const [source, path = '', double, single] = match
    parts.push({ source, path, fallback: double ?? single ?? null })
    from = match.index + source.length
  }
  if (from < text.length) parts.push({ text: text.slice(from) })
  return parts
}

/** Reads the Liquid of a chip. */
export function readVariable(source: string): Variable {
  const [, path = source, double, single] = VARIABLE.exec(source) ?? []
  return { path, fallback: double ?? single ?? null }
}

/** Writes a variable as Liquid. Braces and double quotes end a fallback, so they are left out. */
export const writeVariable = ({ path, fallback }: Variable): string => {
  const text = (fallback ?? '').replace(/[{}"]/g, '')
  return text === '' ? `{{ ${path} }}` : `{{ ${path} | default: "${text}" }}`
}

/** The name that a chip shows: `firstName` for `contact.firstName`, `plan` for `contact.metadata.plan`. */
export const shortName = (path: string): string => path.replace(/^contact\.(?:metadata\.)?/, '')

const OF_CONTACTS = [
  ['contact.firstName', 'First name'],
  ['contact.email', 'Email address'],
  ['contact.externalId', 'ID of your system'],
  ['contact.createdAt', 'Time of creation'],
] as const
const OF_EMAILS = [['unsubscribeUrl', 'Link to preferences and unsubscribe']] as const
/** Set in emails of automations only. */
const OF_AUTOMATIONS = [
  ['confirmUrl', 'Link of double opt-in emails'],
  ['event.name', 'Event of the automation'],
] as const

/** The variables to insert. @param keys names of attributes of contacts */
export const variableOptions = (
  keys: readonly string[],
  { isCampaign }: { isCampaign: boolean },
): { path: string; label: string }[] => {
  const attributes = keys.map((key) => [`contact.metadata.${key}`, 'Attribute'] as const)
  return [...OF_CONTACTS, ...attributes, ...OF_EMAILS, ...(isCampaign ? [] : OF_AUTOMATIONS)].map(([path, label]) => ({
    path,
    label,
  }))
}
