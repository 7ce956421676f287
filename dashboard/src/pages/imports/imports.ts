import { IconAlertTriangle, IconChecks, IconLoader } from '@tabler/icons-react'
import type { Schemas } from '../../api/client.ts'
import type { StatusStyle } from '../../components/StatusBadge.tsx'

export type Import = Schemas['Import']

export const IMPORT_STATUS: Record<Import['status'], StatusStyle> = {
  RUNNING: { label: 'Not all read', icon: IconLoader, tone: 'accent' },
  DONE: { label: 'Done', icon: IconChecks, tone: 'ok' },
  FAILED: { label: 'Broken', icon: IconAlertTriangle, tone: 'bad' },
}

export const FORMATS: { value: Import['format']; label: string }[] = [
  { value: 'csv', label: 'Any CSV file' },
  { value: 'listmonk', label: 'listmonk’s export' },
  { value: 'mailchimp', label: 'Mailchimp’s export' },
  { value: 'plunk', label: 'Plunk’s contacts, as CSV (as JSON: at the command line)' },
]

/** What a column can be, besides what its name says. */
export const FIELDS = [
  { value: 'email', label: 'Address' },
  { value: 'firstName', label: 'First name' },
  { value: 'externalId', label: 'External id' },
  { value: 'tags', label: 'Tags' },
  { value: 'subscribed', label: 'Whether they are subscribed' },
  { value: 'ticked', label: 'A box: who has not ticked it wants no mail' },
  { value: 'unsubscribed', label: 'Whether they have unsubscribed' },
  { value: 'metadata', label: 'Data of theirs, under its name' },
  { value: 'nothing', label: 'Nothing: left out' },
] as const
