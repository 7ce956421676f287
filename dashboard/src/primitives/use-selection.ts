import { useRef, useState } from 'react'

/** The selected rows of a table. They stay selected while rows are sorted and reloaded. */
export interface Selection<Row> {
  rows: readonly Row[]
  /** The number of them that the table shows. */
  shownCount: number
  has: (row: Row) => boolean
  /** Selects or clears a row; with a range, all rows from the one before. */
  toggle: (at: number, isRange: boolean) => void
  /** Selects all rows that the table shows, or clears them. */
  toggleAll: () => void
  clear: () => void
}

/**
 * @param rows undefined while they load
 * @param keptFor selected rows that are not shown stay selected while this does not change, such as those on other pages. Without it,
 * a row that is no longer shown is not selected when it comes back
 */
export function useSelection<Row>(
  rows: readonly Row[] | undefined,
  idOf: (row: Row) => string,
  keptFor?: string,
): Selection<Row> {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map())
  const [keptWith, setKeptWith] = useState(keptFor)
  // By ID, because sorting moves rows.
  const before = useRef<string>(undefined)
  const shown = rows ?? []
  const has = (row: Row) => chosen.has(idOf(row))
  const inRows = shown.filter(has)
  const ids = new Set(shown.map(idOf))
  const elsewhere = [...chosen].flatMap(([id, row]) => (ids.has(id) ? [] : [row]))
  const select = (next: ReadonlyMap<string, Row>, last?: string) => {
    before.current = last
    setChosen(next)
  }
  if (keptFor !== keptWith) {
    setKeptWith(keptFor)
    setChosen(new Map())
  } else if (keptFor === undefined && rows && elsewhere.length > 0) {
    setChosen(new Map(inRows.map((row) => [idOf(row), row])))
  }
  /** Selects or clears rows, and returns what is selected then. */
  const withRows = (changed: readonly Row[], isOn: boolean): ReadonlyMap<string, Row> => {
    const next = new Map(chosen)
    for (const row of changed) {
      if (isOn) next.set(idOf(row), row)
      else next.delete(idOf(row))
    }
    return next
  }
  return {
    rows: keptFor === undefined ? inRows : [...elsewhere, ...inRows],
    shownCount: inRows.length,
    has,
    toggle(at, isRange) {
      const row = shown[at]!
      const other = isRange ? shown.findIndex((each) => idOf(each) === before.current) : -1
      const [from, to] = other === -1 ? [at, at] : [Math.min(other, at), Math.max(other, at)]
      select(withRows(shown.slice(from, to + 1), !has(row)), idOf(row))
    },
    toggleAll: () => select(withRows(shown, !shown.every(has))),
    clear: () => select(new Map()),
  }
}
