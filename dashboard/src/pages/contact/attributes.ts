export type Attributes = Record<string, unknown>

/** How an attribute is edited. Arrays, objects and null are JSON. */
export type AttributeType = 'text' | 'number' | 'boolean' | 'json'

/** An attribute as it is typed. */
export interface AttributeRow {
  /** Identifies the row while its name changes. */
  id: number
  name: string
  type: AttributeType
  text: string
}

const typeOf = (value: unknown): AttributeType =>
  typeof value === 'string'
    ? 'text'
    : typeof value === 'number'
      ? 'number'
      : typeof value === 'boolean'
        ? 'boolean'
        : 'json'

/** Parses a JSON object. @returns `undefined` if the text is none */
export function parseAttributes(text: string): Attributes | undefined {
  try {
    const data: unknown = JSON.parse(text)
    return typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as Attributes) : undefined
  } catch {
    return undefined
  }
}

export const rowsOf = (attributes: Attributes): AttributeRow[] =>
  Object.entries(attributes).map(([name, value], id) => {
    const type = typeOf(value)
    return { id, name, type, text: type === 'text' ? String(value) : JSON.stringify(value) }
  })

/** Returns the value of a row; `undefined` if the text does not have its type. */
export function valueOf({ type, text }: Pick<AttributeRow, 'type' | 'text'>): unknown {
  if (type === 'text') return text
  try {
    const value: unknown = JSON.parse(text)
    return type === 'json' || typeOf(value) === type ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the problem of a row, if it has one. */
export function problemOf(row: AttributeRow, rows: readonly AttributeRow[]): string | undefined {
  if (row.name.trim() === '') return row.text === '' ? undefined : 'Enter a name'
  if (rows.some((other) => other !== row && other.name.trim() === row.name.trim())) return 'The name is used twice'
  if (row.type === 'json' && row.text.trim() === 'null') return 'Null would remove it. Use Remove instead'
  if (valueOf(row) !== undefined) return undefined
  return { text: '', number: 'Enter a number', boolean: 'Choose yes or no', json: 'Enter valid JSON' }[row.type]
}

/** Returns the rows as JSON text; `undefined` if one has a problem. Rows without a name are left out. */
export function jsonOf(rows: readonly AttributeRow[]): string | undefined {
  if (rows.some((row) => problemOf(row, rows) !== undefined)) return undefined
  const named = rows.filter(({ name }) => name.trim() !== '')
  return JSON.stringify(Object.fromEntries(named.map((row) => [row.name.trim(), valueOf(row)])), null, 2)
}
