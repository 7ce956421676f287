import { normalizeValue } from './cells.ts'

/** Types of named attributes. */
export const VALUE_TYPES = ['text', 'number', 'date', 'boolean'] as const
export type ValueType = (typeof VALUE_TYPES)[number]

/** Formats of dates. The first one also reads timestamps with a time zone. */
export const DATE_FORMATS = [
  'YYYY-MM-DD',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD.MM.YYYY',
  'DD-MM-YYYY',
  'YYYY/MM/DD',
] as const
export type DateFormat = (typeof DATE_FORMATS)[number]

/** Formats of numbers, named after an example. */
export const NUMBER_FORMATS = ['1,234.5', '1.234,5'] as const
export type NumberFormat = (typeof NUMBER_FORMATS)[number]

/** Separators of tags. */
export const SEPARATORS = [',', ';', '|'] as const
export type Separator = (typeof SEPARATORS)[number]

/** Includes the spellings of Postgres and of spreadsheets in German, French, Spanish, Italian and Portuguese. */
const YES = 'true|t|yes|y|1|x|on|✓|✔|☑|checked|ja|wahr|oui|vrai|sí|si|sì|verdadero|vero|sim|verdadeiro'.split('|')
const NO = 'false|f|no|n|0|off|nein|falsch|non|faux|falso|não|nao|nee'.split('|')

/** Reads a yes or no. Returns `undefined` if the cell is neither. */
export function parseBoolean(cell: string): boolean | undefined {
  const word = normalizeValue(cell)
  return YES.includes(word) ? true : NO.includes(word) ? false : undefined
}

const DIGITS: Readonly<Record<NumberFormat, RegExp>> = {
  '1,234.5': /^[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/,
  '1.234,5': /^[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/,
}

/** Reads a number. Returns `undefined` if the cell is none, or has more digits than a number can hold. */
export function parseNumber(cell: string, format: NumberFormat = '1,234.5'): number | undefined {
  const word = cell.replaceAll(/[\s'’]/g, '')
  if (word.length > 30 || !DIGITS[format].test(word)) return undefined
  const plain = format === '1,234.5' ? word.replaceAll(',', '') : word.replaceAll('.', '').replace(',', '.')
  const value = Number(plain)
  return Number.isSafeInteger(Math.trunc(value)) ? value : undefined
}

const TIME = String.raw`(?:[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(\.\d{1,9})?)?(?: ?([AP])\.?M\.?)?(?:Z| ?UTC| ?([+-])(\d\d):?(\d\d)(?: \S{1,10})?)?)?`
const PARTS: Readonly<Record<DateFormat, { pattern: RegExp; order: readonly ('y' | 'm' | 'd')[] }>> = {
  'YYYY-MM-DD': { pattern: new RegExp(`^(\\d{4})-(\\d{1,2})-(\\d{1,2})${TIME}$`, 'i'), order: ['y', 'm', 'd'] },
  'DD/MM/YYYY': { pattern: new RegExp(`^(\\d{1,2})/(\\d{1,2})/(\\d{4})${TIME}$`, 'i'), order: ['d', 'm', 'y'] },
  'MM/DD/YYYY': { pattern: new RegExp(`^(\\d{1,2})/(\\d{1,2})/(\\d{4})${TIME}$`, 'i'), order: ['m', 'd', 'y'] },
  'DD.MM.YYYY': { pattern: new RegExp(`^(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})${TIME}$`, 'i'), order: ['d', 'm', 'y'] },
  'DD-MM-YYYY': { pattern: new RegExp(`^(\\d{1,2})-(\\d{1,2})-(\\d{4})${TIME}$`, 'i'), order: ['d', 'm', 'y'] },
  'YYYY/MM/DD': { pattern: new RegExp(`^(\\d{4})/(\\d{1,2})/(\\d{1,2})${TIME}$`, 'i'), order: ['y', 'm', 'd'] },
}
const MAX_DATE_LENGTH = 60

/**
 * Reads a date as `YYYY-MM-DD`, or a date with a time as ISO 8601. A time without a zone is UTC. Returns `undefined` for another
 * format, and for a date that does not exist.
 */
export function parseDate(cell: string, format: DateFormat = 'YYYY-MM-DD'): string | undefined {
  if (cell.length > MAX_DATE_LENGTH) return undefined
  const { pattern, order } = PARTS[format]
  const found = pattern.exec(cell.trim())
  if (!found) return undefined
  const part = (name: 'y' | 'm' | 'd') => Number(found[order.indexOf(name) + 1])
  const [year, month, day] = [part('y'), part('m'), part('d')]
  const date = new Date(Date.UTC(year, month - 1, day))
  if (year < 100 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const [, , , , hours, minutes, seconds = '0', fraction = '0', half, sign, zoneHours, zoneMinutes] = found
  if (hours === undefined) return date.toISOString().slice(0, 10)
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toUpperCase() === 'P' ? 12 : 0)
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const offset = sign === undefined ? 0 : Number(`${sign}1`) * (Number(zoneHours) * 60 + Number(zoneMinutes))
  date.setUTCHours(hour, Number(minutes) - offset, Number(seconds), Math.floor(Number(fraction) * 1_000))
  return date.toISOString()
}
