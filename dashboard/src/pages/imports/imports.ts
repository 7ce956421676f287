import {
  IconAlertTriangle,
  IconChecks,
  IconCircleDashed,
  IconLoader,
  IconPlayerPause,
  IconUpload,
} from '@tabler/icons-react'
import type { Schemas } from '../../api/client.ts'
import type { StatusStyle } from '../../components/StatusBadge.tsx'

export type Import = Schemas['Import']
export type Mapping = Schemas['ImportMapping']
export type Column = Mapping['columns'][number]
export type MappingInput = Schemas['ImportMappingInput']
export type Consent = NonNullable<Import['consent']>
/** The meaning of a column. */
export type Decision = Omit<NonNullable<MappingInput['columns']>[number], 'column'>
/** The decisions of the user, by the title of the column. */
export type Decisions = Readonly<Record<string, Decision>>

export const IMPORT_STATUS: Record<Import['status'], StatusStyle> = {
  UPLOADING: { label: 'Incomplete', icon: IconUpload, tone: 'warn' },
  DRAFT: { label: 'Draft', icon: IconCircleDashed, tone: 'mute' },
  RUNNING: { label: 'Importing', icon: IconLoader, tone: 'accent' },
  STOPPED: { label: 'Stopped', icon: IconPlayerPause, tone: 'warn' },
  DONE: { label: 'Done', icon: IconChecks, tone: 'ok' },
  FAILED: { label: 'Failed', icon: IconAlertTriangle, tone: 'bad' },
}

export const PRESETS: { value: NonNullable<Import['preset']>; label: string }[] = [
  { value: 'brevo', label: 'Brevo' },
  { value: 'buttondown', label: 'Buttondown' },
  { value: 'hubspot', label: 'HubSpot' },
  { value: 'keila', label: 'Keila' },
  { value: 'kit', label: 'Kit (ConvertKit)' },
  { value: 'substack', label: 'Substack' },
  { value: 'ghost', label: 'Ghost' },
  { value: 'listmonk', label: 'listmonk' },
  { value: 'mailchimp', label: 'Mailchimp' },
  { value: 'plunk', label: 'Plunk' },
]

export const labelOfPreset = (preset: NonNullable<Import['preset']>): string =>
  PRESETS.find(({ value }) => value === preset)?.label ?? preset

/** Fields that a column can be imported as. */
export const FIELDS = [
  { value: 'email', label: 'Email' },
  { value: 'firstName', label: 'First name' },
  { value: 'name', label: 'Full name' },
  { value: 'externalId', label: 'External ID' },
  { value: 'tags', label: 'Tags' },
  { value: 'consent', label: 'Consent' },
  { value: 'attribute', label: 'Attribute' },
  { value: 'metadata', label: 'Attributes as JSON' },
  { value: 'nothing', label: 'Don’t import' },
]

export const TYPES = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'date', label: 'Date' },
  { value: 'boolean', label: 'Yes or no' },
]

export const DATE_FORMATS = [
  'YYYY-MM-DD',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD.MM.YYYY',
  'DD-MM-YYYY',
  'YYYY/MM/DD',
] as const
export const NUMBER_FORMATS = ['1,234.5', '1.234,5'] as const
export const SEPARATORS = [',', ';', '|'] as const

const KEY = 'metadata.'
export const isAttribute = ({ field }: Decision): boolean => field.startsWith(KEY)
export const keyOf = ({ field }: Decision): string => field.slice(KEY.length)
export const attribute = (key: string): string => `${KEY}${key}`

/** Removes the properties that the API leaves out. */
export const decisionOf = (given: Column['decision']): Decision | undefined =>
  given === null ? undefined : (JSON.parse(JSON.stringify(given)) as Decision)

/**
 * Checks that a column has a meaning. Consent without a value that means yes would suppress every contact of the file,
 * unless a preset defines its values.
 */
export const isDecided = (decision: Decision | undefined): boolean =>
  decision !== undefined &&
  (decision.field !== 'consent' || [decision.yes, decision.bounced, decision.blocked].some((each) => each?.length))

/** Quotes cells of a CSV file. */
export const csvLine = (cells: readonly string[]): string =>
  `${cells
    // A spreadsheet would run `=HYPERLINK(…)` of a stranger as a formula. The import removes the mark again.
    .map((cell) => (/^[=+\-@\t\r＝＋－＠]/.test(cell) ? `'${cell}` : cell))
    .map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')}\r\n`
