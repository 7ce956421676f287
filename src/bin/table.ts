/** The maximum width of output for people. Identifiers are never cut, so that they can be copied. */
const WIDTH = 80

/** One item of a list: its cells, and further lines below them, indented, that would not fit next to them. */
export interface Row {
  cells: string[]
  below?: string[]
}

/** Formats a list for people: cells below their headings, as wide as the widest. Programs use `--json`. */
export function formatTable(headings: string[], rows: Row[], none: string): string {
  if (rows.length === 0) return none
  const inRows = rows.map(({ cells, below }) => ({ cells: cells.map((cell) => cell.replaceAll('\n', ' ')), below }))
  const all = [headings, ...inRows.map(({ cells }) => cells)]
  const widths = headings.map((_, n) => Math.max(...all.map((cells) => (cells[n] ?? '').length)))
  const line = (cells: string[]) =>
    cells
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join('  ')
      .trimEnd()
  return [
    line(headings),
    ...inRows.flatMap(({ cells, below = [] }) => [line(cells), ...below.flatMap((text) => wrap(text, '  '))]),
  ].join('\n')
}

/** Wraps a text between words, so that no line is wider than a terminal, unless a word is. */
function wrap(text: string, indentation: string): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`${indentation}${word}`)
  }
  return lines
}
