/** Spreadsheets run texts that begin like this as formulas (CWE-1236). Numbers and phone numbers are none. */
const FORMULA = /^(?![+-]?[\d\s().-]+$)[=+\-@\t\r]/

const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return '""'
  const text = typeof value !== 'string' ? JSON.stringify(value) : FORMULA.test(value) ? `'${value}` : value
  return `"${text.replaceAll('"', '""')}"`
}

/** Writes rows as CSV (RFC 4180) with a line of heads. Values that are not text are written as JSON. */
export const csvOf = (heads: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [heads, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')
