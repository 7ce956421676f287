/** Spreadsheets run cells that begin like this as formulas (CWE-1236). */
const FORMULA = /^[=+\-@\t\r]/

const cellOf = (value: unknown): string => {
  const text = value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
}

/** Writes rows as CSV (RFC 4180) with a line of heads. Values that are not text are written as JSON. */
export const csvOf = (heads: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [heads, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

/** Saves text as a file of the browser's user. */
export function download(name: string, text: string): void {
  const link = document.createElement('a')
  // With a byte order mark, by which Excel recognizes UTF-8.
  link.href = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
