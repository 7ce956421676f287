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

interface VariableOption {
  path: string
  label: string
}

const OF_CONTACTS = [
  { path: 'contact.firstName', label: 'First name' },
  { path: 'contact.email', label: 'Email address' },
  { path: 'contact.externalId', label: 'ID of your system' },
  { path: 'contact.createdAt', label: 'Time of creation' },
]
const OF_EMAILS = [{ path: 'unsubscribeUrl', label: 'Link to preferences and unsubscribe' }]
/** Set in emails of automations only. */
const OF_AUTOMATIONS = [
  { path: 'confirmUrl', label: 'Link of double opt-in emails' },
  { path: 'event.name', label: 'Event of the automation' },
]

const attributePath = (key: string): string => `contact.metadata.${key}`

/** The variables of a contact. @param keys names of attributes of contacts */
export const contactVariableOptions = (keys: readonly string[]): VariableOption[] => [
  ...OF_CONTACTS,
  ...keys.map((key) => ({ path: attributePath(key), label: key })),
]

/** The variables of an email, for a menu that shows each as a chip beside its label. @param keys names of attributes of contacts */
export const variableOptions = (keys: readonly string[], { isCampaign }: { isCampaign: boolean }): VariableOption[] => [
  ...OF_CONTACTS,
  ...keys.map((key) => ({ path: attributePath(key), label: 'Attribute' })),
  ...OF_EMAILS,
  ...(isCampaign ? [] : OF_AUTOMATIONS),
]
