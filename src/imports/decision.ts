import {
  DATE_FORMATS,
  type DateFormat,
  NUMBER_FORMATS,
  type NumberFormat,
  type Separator,
  SEPARATORS,
  type ValueType,
} from './values.ts'

/** The meaning of a column. */
export interface ColumnDecision {
  /**
   * - `email`, `firstName`, `externalId`, `tags`
   * - `name`: a full name. Its first word is the first name.
   * - `consent`: whether the contact wants marketing
   * - `metadata.KEY`: a named attribute
   * - `metadata`: a JSON object of attributes
   * - `nothing`: the column is not imported
   */
  field: string
  /** The type of an attribute; text by default. */
  type?: ValueType | undefined
  /** The format of a date or number, or the separator of tags. */
  format?: DateFormat | NumberFormat | Separator | undefined
  /** The values that mean yes, of consent and of boolean attributes. Every other value means no. */
  yes?: readonly string[] | undefined
  /** Values of consent that mean that the address bounced. `*` is every value that does not mean yes. */
  bounced?: readonly string[] | undefined
  /** Values of consent after which no email at all is sent. */
  blocked?: readonly string[] | undefined
}

const FIELDS = ['email', 'firstName', 'name', 'externalId', 'tags', 'consent', 'metadata', 'nothing']
export const FIELD_PATTERN = `^(?:${FIELDS.join('|')}|metadata\\.[^\\u0000]{1,200})$`
const IS_FIELD = new RegExp(FIELD_PATTERN)

/** Checks whether a column can be mapped to a field. */
export const isField = (field: string): boolean => IS_FIELD.test(field)

interface Given {
  // A field of another type has an error of its own.
  field?: unknown
  type?: string | undefined
  format?: string | undefined
  yes?: readonly unknown[] | undefined
  bounced?: readonly unknown[] | undefined
  blocked?: readonly unknown[] | undefined
}

/** Checks that the properties of a column belong to its field: an ignored one would change its meaning. */
export function isConsistent({ field = '', type, format, yes, bounced, blocked }: Given): boolean {
  const isAttribute = typeof field === 'string' && field.startsWith('metadata.')
  if (type !== undefined && !isAttribute) return false
  if ((bounced ?? blocked) !== undefined && field !== 'consent') return false
  if (field === 'consent' && yes === undefined) return false
  if (yes !== undefined && field !== 'consent' && type !== 'boolean') return false
  if (format === undefined) return true
  const formats: readonly string[] =
    field === 'tags' ? SEPARATORS : type === 'date' ? DATE_FORMATS : type === 'number' ? NUMBER_FORMATS : []
  return formats.includes(format)
}
