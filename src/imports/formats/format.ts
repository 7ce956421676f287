import type { ContactInput, SuppressionReason } from '../../contacts/index.ts'
import { normalForm } from '../../platform/normal-form.ts'

/** What the people of a file are, where no column says it. */
export const STANDINGS = ['SUBSCRIBED', 'UNSUBSCRIBED', 'BOUNCED'] as const
export type Standing = (typeof STANDINGS)[number]

/** A row of a file. What she wants is read apart from what she is: it counts also where the rest cannot be read. */
export interface Row {
  email: string
  /** By which somebody else knows her; `undefined` where nothing says it. */
  externalId?: string | undefined
  /** Why its address is not to be mailed; `null`: it may be. */
  optOut: OptOut | null
  /** @throws {RowProblem} */
  contact(): Omit<ContactInput, 'listId' | 'email'>
}

export interface OptOut {
  reason: SuppressionReason
  note: string | null
}

/** Which column is what, where somebody says so. */
export interface ColumnChoice {
  /** As the header has it. */
  column: string
  /** See `docs/import.md`. */
  field: string
}

export interface FormatOptions {
  columns: readonly ColumnChoice[]
  as: Standing | null
}

/**
 * The form of a file: one file of this folder each, listed in `index.ts`. It reads the header once, and then rows by it, in which cells
 * have been trimmed and an empty one says nothing.
 */
export interface Format {
  name: string
  /**
   * @returns what reads a row; `RowProblem` is thrown where it cannot tell who has opted out
   * @throws {FileProblem} where the header is none of this form
   */
  readHeader(header: readonly string[], options: FormatOptions): (cells: readonly string[]) => Row
}

/** Nothing of a file can be read. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem'
}

/** A row cannot be read, and those behind it can. */
export class RowProblem extends Error {
  override readonly name = 'RowProblem'
}

/** The same of a row that may say that its address is not to be mailed: no other row of it may be taken for a word that it is. */
export class UnclearRow extends RowProblem {
  readonly email: string

  constructor(email: string, message: string) {
    super(message)
    this.email = email
  }
}

/** What no reader sees, and spreadsheets keep. */
const INVISIBLE = /[\p{Cf}\p{Cc}]/gu

/** What a column is called, or a cell says. */
export const wordIn = (cell: string): string => cell.replaceAll(INVISIBLE, '').trim()

/** No address is longer, whatever stands around it. */
const MAX_ADDRESS = 1_000

/** An address as people and their programs write it into a cell: "Ada <ada@example.com>", `mailto:`, or with the sign of a spreadsheet's text. */
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

/** The same as it is compared: "Opted out?", `opted_out` and `optedOut` are one. */
export const foldedWord = (cell: string): string =>
  normalForm(wordIn(cell))
    .toLowerCase()
    .replaceAll(/[\s_?!.-]+/g, '')

/** What is said before brackets, which say more of it: where it is that somebody wants no mail, that is enough. */
export function beforeBrackets(cell: string): string {
  const word = wordIn(cell)
  const at = word.endsWith(')') ? word.indexOf('(') : -1
  return at < 0 ? word : word.slice(0, at)
}

/** Where a column is, under one of its names, compared without case; -1: nowhere. */
export const columnOf = (header: readonly string[], ...names: readonly string[]): number =>
  header.findIndex((title) => names.includes(wordIn(title).toLowerCase()))

/** @throws {FileProblem} where there is no column for addresses */
export function emailColumnOf(header: readonly string[], ...names: readonly string[]): number {
  const at = columnOf(header, ...names)
  if (at < 0)
    throw new FileProblem(
      `The header has no column for addresses: it has to be called ${names.map((name) => `"${name}"`).join(' or ')}, or chosen`,
    )
  return at
}

/** Objects are written from what strangers named: without a prototype, any key is data. */
export const metadataOf = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> | undefined => {
  const said = entries.filter(([, value]) => value !== '' && value !== null && value !== undefined)
  return said.length === 0 ? undefined : Object.assign(Object.create(null) as object, Object.fromEntries(said))
}

/** @throws {RowProblem} where a cell that should be an object of JSON is none */
export function objectInCell(cell: string, column: string): Record<string, unknown> {
  if (cell === '' || cell === 'null') return {}
  let value: unknown
  try {
    value = JSON.parse(cell)
  } catch {
    throw new RowProblem(`${column} is no JSON`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RowProblem(`${column} is no JSON object`)
  return value as Record<string, unknown>
}

/** An instant as ISO 8601 has it; `undefined` where the text has none that can be read for certain. */
export const instantOf = (text: string): string | undefined => {
  const [, day, time, fraction = '', sign, hours, minutes] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,9})?(?:Z| ?([+-])(\d\d):?(\d\d)(?: \S{1,10})?)?$/.exec(text) ?? []
  if (day === undefined || day.startsWith('0001')) return undefined
  // Without a zone it is UTC: nobody says another one.
  const zone = sign === undefined ? 'Z' : `${sign}${hours ?? ''}:${minutes ?? ''}`
  const at = new Date(`${day}T${time ?? ''}${fraction.slice(0, 4)}${zone}`)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

const SUPPRESSION_OF: Readonly<Record<Standing, SuppressionReason | null>> = {
  SUBSCRIBED: null,
  UNSUBSCRIBED: 'IMPORTED',
  BOUNCED: 'BOUNCED',
}

/** Why an address of a file of such people is not to be mailed. */
export const optOutOf = (as: Standing | null, note: string | null = null): OptOut | null => {
  const reason = as === null ? null : SUPPRESSION_OF[as]
  return reason === null ? null : { reason, note }
}
