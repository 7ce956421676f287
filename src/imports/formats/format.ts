import type { ContactInput, SuppressionReason } from '../../contacts/index.ts'
import { normalForm } from '../../platform/normal-form.ts'

/** Status of all contacts of a file, if no column has it. */
export const FILE_STATUSES = ['SUBSCRIBED', 'UNSUBSCRIBED', 'BOUNCED'] as const
export type FileStatus = (typeof FILE_STATUSES)[number]

/** A row of a file. The opt-out is read separately from the contact, because it applies even if the rest is invalid. */
export interface Row {
  email: string
  /** The ID of the contact in another system, if the row has one. */
  externalId?: string | undefined
  /** Why the address must not be emailed, or `null` if it may be. */
  optOut: OptOut | null
  /** @throws {RowProblem} */
  contact(): Omit<ContactInput, 'listId' | 'email'>
}

export interface OptOut {
  reason: SuppressionReason
  note: string | null
}

/** The field chosen for a column. */
export interface ColumnChoice {
  /** Title of the column in the header. */
  column: string
  /** See `docs/import.md`. */
  field: string
}

export interface FormatOptions {
  columns: readonly ColumnChoice[]
  as: FileStatus | null
}

/**
 * A file format. Each format is a file of this folder, listed in `index.ts`. It reads the header once and returns a reader of
 * rows. Cells are trimmed, and an empty cell means no value.
 */
export interface Format {
  name: string
  /**
   * @returns a reader of rows, which throws `RowProblem` if it cannot determine an opt-out
   * @throws {FileProblem} if the header does not match this format
   */
  readHeader(header: readonly string[], options: FormatOptions): (cells: readonly string[]) => Row
}

/** Error for a file that cannot be read at all. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem'
}

/** Error for a row that cannot be read. Later rows can still be read. */
export class RowProblem extends Error {
  override readonly name = 'RowProblem'
}

/** Error for a row that may be an opt-out. All other rows of its address are then also skipped. */
export class UnclearRow extends RowProblem {
  readonly email: string

  constructor(email: string, message: string) {
    super(message)
    this.email = email
  }
}

/** Invisible characters that spreadsheets keep. */
const INVISIBLE = /[\p{Cf}\p{Cc}]/gu

/** Returns the visible text of a title or a cell. */
export const visibleText = (cell: string): string => cell.replaceAll(INVISIBLE, '').trim()

/** Maximum length of a cell with an address, including a display name. */
const MAX_ADDRESS = 1_000

/**
 * Extracts an address from a cell: "Ada <ada@example.com>", `mailto:`, or with the leading quote that marks text in a
 * spreadsheet.
 */
export const addressIn = (cell: string): string => {
  if (cell.length > MAX_ADDRESS) return cell
  const word = cell.replaceAll(/\p{Cf}/gu, '').trim()
  const [, within] = /^[^<>]*<([^<>]+)>$/.exec(word) ?? []
  return withoutQuotes((within ?? word).trim().replace(/^mailto:/i, ''))
}

const QUOTES = /['"`\p{Pi}\p{Pf}\u201a\u201e]/u

function withoutQuotes(word: string): string {
  let [from, to] = [0, word.length]
  while (from < to && QUOTES.test(word[from]!)) from += 1
  while (from < to && QUOTES.test(word[to - 1]!)) to -= 1
  return word.slice(from, to)
}

/** Normalizes a title for comparison: "Opted out?", `opted_out` and `optedOut` are equal. */
export const normalizeTitle = (cell: string): string =>
  normalForm(visibleText(cell))
    .toLowerCase()
    .replaceAll(/[\s_?!.-]+/g, '')

/** Returns the text before a trailing remark in brackets, which is enough to recognize an opt-out. */
export function beforeBrackets(cell: string): string {
  const word = visibleText(cell)
  const at = word.endsWith(')') ? word.indexOf('(') : -1
  return at < 0 ? word : word.slice(0, at)
}

/** Finds the index of a column by one of its names, without case. Returns -1 if there is none. */
export const columnOf = (header: readonly string[], ...names: readonly string[]): number =>
  header.findIndex((title) => names.includes(visibleText(title).toLowerCase()))

/** @throws {FileProblem} if there is no column for addresses */
export function emailColumnOf(header: readonly string[], ...names: readonly string[]): number {
  const at = columnOf(header, ...names)
  if (at < 0)
    throw new FileProblem(
      `The header has no column for addresses. Name it ${names.map((name) => `"${name}"`).join(' or ')}, or choose one.`,
    )
  return at
}

/** Creates metadata without a prototype, because the keys come from untrusted files. */
export const metadataOf = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> | undefined => {
  const given = entries.filter(([, value]) => value !== '' && value !== null && value !== undefined)
  return given.length === 0 ? undefined : Object.assign(Object.create(null) as object, Object.fromEntries(given))
}

/** @throws {RowProblem} if the cell is not a JSON object */
export function objectInCell(cell: string, column: string): Record<string, unknown> {
  if (cell === '' || cell === 'null') return {}
  let value: unknown
  try {
    value = JSON.parse(cell)
  } catch {
    throw new RowProblem(`${column} is not JSON`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RowProblem(`${column} is not a JSON object`)
  return value as Record<string, unknown>
}

/** Parses a timestamp to ISO 8601. Returns `undefined` if the text is ambiguous. */
export const instantOf = (text: string): string | undefined => {
  const [, day, time, fraction = '', sign, hours, minutes] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,9})?(?:Z| ?([+-])(\d\d):?(\d\d)(?: \S{1,10})?)?$/.exec(text) ?? []
  if (day === undefined || day.startsWith('0001')) return undefined
  // Timestamps without a zone are read as UTC.
  const zone = sign === undefined ? 'Z' : `${sign}${hours ?? ''}:${minutes ?? ''}`
  const at = new Date(`${day}T${time ?? ''}${fraction.slice(0, 4)}${zone}`)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

const SUPPRESSION_OF: Readonly<Record<FileStatus, SuppressionReason | null>> = {
  SUBSCRIBED: null,
  UNSUBSCRIBED: 'IMPORTED',
  BOUNCED: 'BOUNCED',
}

/** Returns the opt-out of contacts with this status, or `null` if they may be emailed. */
export const optOutOf = (as: FileStatus | null, note: string | null = null): OptOut | null => {
  const reason = as === null ? null : SUPPRESSION_OF[as]
  return reason === null ? null : { reason, note }
}
