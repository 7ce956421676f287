import { normalForm } from '../platform/normal-form.ts'

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

/**
 * Removes the quote that keeps a spreadsheet from running a cell as a formula: files with failed rows are written with it, and can be
 * imported again.
 */
export const withoutFormulaMark = (cell: string): string => cell.replace(/^'(?=[=+\-@\t\r＝＋－＠])/, '')

/** Normalizes a value for comparison: without case, invisible characters, and surrounding space. */
export const normalizeValue = (cell: string): string => normalForm(visibleText(cell)).toLowerCase()

/** Normalizes a title for comparison: "First name?", `first_name` and `firstName` are equal. */
export const normalizeTitle = (cell: string): string => normalizeValue(cell).replaceAll(/[\s_?!.:*-]+/g, '')

/** Maximum length of a cell with an address, including a display name. */
const MAX_ADDRESS = 1_000

/**
 * Extracts an address from a cell: "Ada <ada@example.com>", `mailto:`, with the leading quote that marks text in a spreadsheet, or
 * with the trailing dot of a fully qualified domain.
 */
export const addressIn = (cell: string): string => {
  if (cell.length > MAX_ADDRESS) return cell
  const word = cell.replaceAll(/\p{Cf}/gu, '').trim()
  const [, within] = /^[^<>]*<([^<>]+)>$/.exec(word) ?? []
  return withoutQuotes((within ?? word).trim().replace(/^mailto:/i, '')).replace(/(?<=[^.])\.$/, '')
}

const QUOTES = /['"`\p{Pi}\p{Pf}\u201a\u201e]/u

function withoutQuotes(word: string): string {
  let [from, to] = [0, word.length]
  while (from < to && QUOTES.test(word[from]!)) from += 1
  while (from < to && QUOTES.test(word[to - 1]!)) to -= 1
  return word.slice(from, to)
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
    throw new RowProblem(`The column "${column}" is not JSON`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RowProblem(`The column "${column}" is not a JSON object`)
  return value as Record<string, unknown>
}
