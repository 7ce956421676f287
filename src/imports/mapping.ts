import { ApiError } from '../platform/api-error.ts'
import { visibleText } from './cells.ts'
import type { ColumnDecision } from './decision.ts'
import { MAPPING_INCOMPLETE, WRONG_MAPPING } from './errors.ts'
import { decisionOfPreset, isPartialConsent, type PresetName } from './presets.ts'
import { fieldOfTitle } from './titles.ts'

/** The decision of a user for a column. */
export interface ColumnChoice extends ColumnDecision {
  /** Title of the column in the header. */
  column: string
}

/**
 * The consent of all contacts of a file:
 * - SUBSCRIBED: everyone opted in
 * - COLUMNS: the columns mapped to `consent` hold it
 * - UNSUBSCRIBED: the contacts get no marketing until they opt in
 * - BOUNCED: the addresses bounced
 */
export const CONSENTS = ['SUBSCRIBED', 'COLUMNS', 'UNSUBSCRIBED', 'BOUNCED'] as const
export type Consent = (typeof CONSENTS)[number]

export interface Mapping {
  preset: PresetName | null
  columns: readonly ColumnChoice[]
  consent: Consent | null
}

export interface MappedColumn {
  title: string
  /** `null` as long as the user has not decided. */
  decision: ColumnDecision | null
  decidedBy: 'mapping' | 'preset' | 'title' | null
}

/**
 * Returns the titles of a header. An untitled column is named after its place. A repeated title gets a number, so that each column
 * is decided: two columns named "Email" may hold an address and an opt-in.
 */
export function titlesOf(header: readonly string[]): string[] {
  const titles = new Set<string>()
  for (const [index, cell] of header.entries()) {
    const given = visibleText(cell) || `Column ${index + 1}`
    let title = given
    for (let n = 2; titles.has(title); n += 1) title = `${given} (${n})`
    titles.add(title)
  }
  return [...titles]
}

/** Decides each column by the mapping, by the preset, or by a title that leaves no doubt, in this order. */
export function mapColumns(titles: readonly string[], { columns, preset }: Mapping): MappedColumn[] {
  const choices = new Map(columns.map(({ column, ...decision }) => [visibleText(column), decision]))
  return titles.map((title) => {
    const chosen = choices.get(title)
    if (chosen) return { title, decision: chosen, decidedBy: 'mapping' }
    const known = preset === null ? undefined : decisionOfPreset(preset, title)
    if (known) return { title, decision: known, decidedBy: 'preset' }
    const field = fieldOfTitle(title)
    return field === undefined
      ? { title, decision: null, decidedBy: null }
      : { title, decision: { field }, decidedBy: 'title' }
  })
}

/** Filters the columns that hold the consent of all contacts. */
const holdConsent = (columns: readonly MappedColumn[], preset: PresetName | null): MappedColumn[] =>
  columns.filter(
    ({ title, decision, decidedBy }) =>
      decision?.field === 'consent' && !(decidedBy === 'preset' && preset !== null && isPartialConsent(preset, title)),
  )

/** Returns the consent of a file: as stated, or that its columns hold it. `null` if neither. */
export const consentOf = (columns: readonly MappedColumn[], { consent, preset }: Mapping): Consent | null =>
  consent ?? (holdConsent(columns, preset).length > 0 ? 'COLUMNS' : null)

/** Maximum number of columns named in an error, and maximum length of their titles. */
const MAX_NAMED = 10
const MAX_TITLE = 50

const named = (titles: readonly string[]): string =>
  titles
    .slice(0, MAX_NAMED)
    .map((title) => `"${title.slice(0, MAX_TITLE)}"`)
    .join(', ') + (titles.length > MAX_NAMED ? ` and ${titles.length - MAX_NAMED} more` : '')

/** Returns the titles of the undecided columns. */
const undecidedOf = (columns: readonly MappedColumn[]): string[] => [
  ...new Set(columns.flatMap(({ title, decision }) => (decision ? [] : [title]))),
]

/** Returns the titles of the columns of consent without a value, of which every value would mean no. */
const withoutValuesOf = (columns: readonly MappedColumn[]): string[] =>
  columns.flatMap(({ title, decision }) =>
    decision?.field === 'consent' && [decision.yes, decision.bounced, decision.blocked].every((each) => !each?.length)
      ? [title]
      : [],
  )

/** Describes how a mapping contradicts the header or itself. */
function contradictionIn(titles: readonly string[], mapping: Mapping): string | undefined {
  const columns = mapColumns(titles, mapping)
  const unknown = mapping.columns.find(({ column }) => !titles.includes(visibleText(column)))
  if (unknown) return `The header has no column ${named([unknown.column])}`
  const chosen = mapping.columns.map(({ column }) => visibleText(column))
  const repeated = chosen.find((column, index) => chosen.indexOf(column) !== index)
  if (repeated !== undefined) return `The column ${named([repeated])} is mapped more than once`
  const emails = columns.flatMap(({ title, decision }) => (decision?.field === 'email' ? [title] : []))
  if (emails.length > 1) return `The columns ${named(emails)} both hold the address. Map one of them to another field.`
  const consent = holdConsent(columns, mapping.preset).map(({ title }) => title)
  if (mapping.consent === 'SUBSCRIBED' && consent.length > 0)
    return `The columns ${named(consent)} hold consent. Set consent to COLUMNS, or map these columns to another field.`
  if (mapping.consent === 'COLUMNS' && consent.length === 0 && undecidedOf(columns).length === 0)
    return 'No column holds consent. Map one to "consent", or set consent to another value.'
  return undefined
}

/** @throws {ApiError} `wrong_mapping` if the mapping contradicts the header or itself */
export function assertMapping(titles: readonly string[], mapping: Mapping): void {
  const contradiction = contradictionIn(titles, mapping)
  if (contradiction !== undefined) throw new ApiError(WRONG_MAPPING, { message: contradiction })
}

/** Lists what is missing in a mapping, as sentences. */
export function missingIn(titles: readonly string[], mapping: Mapping): string[] {
  const columns = mapColumns(titles, mapping)
  const undecided = undecidedOf(columns)
  const withoutValues = withoutValuesOf(columns)
  return [
    ...[contradictionIn(titles, mapping)].filter((each) => each !== undefined),
    ...(undecided.length > 0
      ? [`Map these columns to a field, to metadata, or to "nothing": ${named(undecided)}. A column may hold opt-outs.`]
      : []),
    ...(withoutValues.length > 0
      ? [
          `Add the values that mean yes: ${named(withoutValues)}. Every other value means no. If no value means yes, map the column to "nothing".`,
        ]
      : []),
    ...(columns.some(({ decision }) => decision?.field === 'email')
      ? []
      : ['Map the column of the addresses to "email".']),
    ...(consentOf(columns, mapping) === null
      ? ['State the consent of the contacts: map a column to "consent", or set consent to SUBSCRIBED or UNSUBSCRIBED.']
      : []),
  ]
}

/** @throws {ApiError} `mapping_incomplete`, `wrong_mapping` */
export function assertComplete(titles: readonly string[], mapping: Mapping): void {
  assertMapping(titles, mapping)
  const missing = missingIn(titles, mapping)
  if (missing.length > 0) throw new ApiError(MAPPING_INCOMPLETE, { message: missing.join(' ') })
}
