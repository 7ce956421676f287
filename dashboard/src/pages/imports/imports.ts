import { IconAlertTriangle, IconChecks, IconLoader } from '@tabler/icons-react'
import type { Schemas } from '../../api/client.ts'
import type { StatusStyle } from '../../components/StatusBadge.tsx'

export type Import = Schemas['Import']

export const IMPORT_STATUS: Record<Import['status'], StatusStyle> = {
  RUNNING: { label: 'Incomplete', icon: IconLoader, tone: 'accent' },
  DONE: { label: 'Done', icon: IconChecks, tone: 'ok' },
  FAILED: { label: 'Failed', icon: IconAlertTriangle, tone: 'bad' },
}

export const FORMATS: { value: Import['format']; label: string }[] = [
  { value: 'csv', label: 'Any CSV file' },
  { value: 'listmonk', label: 'listmonk export' },
  { value: 'mailchimp', label: 'Mailchimp export' },
  { value: 'plunk', label: 'Plunk CSV export' },
]

/** Fields that a column can be imported as. */
export const FIELDS = [
  { value: 'email', label: 'Email' },
  { value: 'firstName', label: 'First name' },
  { value: 'externalId', label: 'External ID' },
  { value: 'tags', label: 'Tags' },
  { value: 'subscribed', label: 'Subscribed (yes/no)' },
  { value: 'ticked', label: 'Consent checkbox' },
  { value: 'unsubscribed', label: 'Unsubscribed (yes/no)' },
  { value: 'metadata', label: 'Metadata' },
  { value: 'nothing', label: 'Don’t import' },
] as const

/** Column names that the server recognizes, without case, spaces and punctuation. See `src/imports/formats/csv.ts`. */
const KNOWN_NAMES: readonly [field: (typeof FIELDS)[number]['value'], names: RegExp][] = [
  ['email', /^email(address)?$/],
  ['firstName', /^firstname$/],
  ['externalId', /^externalid$/],
  ['tags', /^tags$/],
  ['subscribed', /^((is)?subscribed|opt(ed)?in|emailoptin)$/],
  [
    'unsubscribed',
    /^(unsubscribed?|isunsubscribed|unsubscribed(at|on|date)|unsubscribe(date|time)|unsubtime|opt(ed)?out(at)?|optoutdate|emailoptout|hasoptedoutofemail)$/,
  ],
]

/** Returns the label of the field that the server picks for a column by its name. */
export function guessedLabel(column: string): string {
  const name = column.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const field = KNOWN_NAMES.find(([, names]) => names.test(name))?.[0] ?? 'metadata'
  return FIELDS.find(({ value }) => value === field)!.label
}
