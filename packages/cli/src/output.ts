/**
 * Characters that control a terminal or make it show something else: control characters except the line feed (ECMA-48), and
 * bidirectional controls (Unicode, UAX #9). Contacts choose their own names.
 */
const COMMANDS = /[[\p{Cc}\p{Bidi_Control}\u2028\u2029]--\n]/gv

export const forTerminal = (text: string): string => text.replace(COMMANDS, ' ')

const jsonForTerminal = (value: unknown, indentation?: number): string =>
  JSON.stringify(value, null, indentation).replace(
    COMMANDS,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

interface Table<Item> {
  headings: string[]
  cells: (item: Item) => unknown[]
  /** Printed if there are no items. */
  none: string
}

/** Prints results for people, or as JSON for programs. */
export interface Output {
  isJson: boolean
  /** Prints one result. */
  result: <Value>(value: Value, words: (value: Value) => string) => void
  /** Prints a resource, one line per field. */
  resource: (value: object) => void
  /** Prints a list: JSON as soon as an item arrives, or a table at the end. */
  list: <Item>(items: AsyncIterable<Item> | Iterable<Item>, table: Table<Item>) => Promise<void>
  /** Prints a note to stderr, which does not mix with results. */
  note: (text: string) => void
}

export function createOutput(isJson: boolean, stdout: (text: string) => void, stderr: (text: string) => void): Output {
  const print = (text: string) => stdout(`${text}\n`)
  return {
    isJson,
    result: (value, words) => print(isJson ? jsonForTerminal(value) : forTerminal(words(value))),
    resource: (value) => print(isJson ? jsonForTerminal(value) : formatFields(value)),
    async list(items, { headings, cells, none }) {
      if (!isJson) {
        const rows: string[][] = []
        for await (const item of items) rows.push(cells(item).map(cellOf))
        print(rows.length === 0 ? none : formatTable(headings, rows))
        return
      }
      let count = 0
      for await (const item of items) stdout(`${count++ === 0 ? '[\n' : ',\n'}${jsonForTerminal(item)}`)
      print(count === 0 ? '[]' : '\n]')
    },
    note: (text) => stderr(`${forTerminal(text)}\n`),
  }
}

/** Returns the items up to a maximum, without requesting further pages. */
export async function* take<Item>(items: AsyncIterable<Item>, max: number): AsyncGenerator<Item, void, undefined> {
  let count = 0
  for await (const item of items) {
    yield item
    count += 1
    if (count >= max) return
  }
}

const cellOf = (value: unknown): string =>
  forTerminal(value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value))

function formatFields(value: object): string {
  const fields = Object.entries(value).map(([name, field]) => [name, cellOf(field)] as const)
  const width = Math.max(...fields.map(([name]) => name.length))
  return fields.map(([name, text]) => `${name.padEnd(width)}  ${text.replaceAll('\n', ' ')}`.trimEnd()).join('\n')
}

function formatTable(headings: string[], rows: string[][]): string {
  const all = [headings, ...rows.map((cells) => cells.map((cell) => cell.replaceAll('\n', ' ')))]
  const widths = headings.map((_, n) => Math.max(...all.map((cells) => (cells[n] ?? '').length)))
  return all
    .map((cells) =>
      cells
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
