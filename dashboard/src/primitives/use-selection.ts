import { useRef, useState } from 'react'

/** The selected rows of a table. It survives sorting and reloading. */
export interface Selection<Row> {
  rows: readonly Row[]
  has: (row: Row) => boolean
  /** Selects or clears a row; with a range, all rows from the one before. */
  toggle: (at: number, isRange: boolean) => void
  toggleAll: () => void
  clear: () => void
}

export function useSelection<Row>(rows: readonly Row[], idOf: (row: Row) => string): Selection<Row> {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const before = useRef(0)
  return {
    // A row that another filter hides is not selected.
    rows: rows.filter((row) => ids.has(idOf(row))),
    has: (row) => ids.has(idOf(row)),
    toggle(at, isRange) {
      const next = new Set(ids)
      const isOn = !ids.has(idOf(rows[at]!))
      const [from, to] = isRange ? [Math.min(before.current, at), Math.max(before.current, at)] : [at, at]
      for (const row of rows.slice(from, to + 1)) {
        if (isOn) next.add(idOf(row))
        else next.delete(idOf(row))
      }
      before.current = at
      setIds(next)
    },
    toggleAll: () => setIds(new Set(rows.every((row) => ids.has(idOf(row))) ? [] : rows.map(idOf))),
    clear: () => setIds(new Set()),
  }
}
