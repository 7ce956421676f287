import { useRef, useState } from 'react'

/** The selected rows of a table. They stay selected while rows are sorted and reloaded. */
export interface Selection<Row> {
  rows: readonly Row[]
  has: (row: Row) => boolean
  /** Selects or clears a row; with a range, all rows from the one before. */
  toggle: (at: number, isRange: boolean) => void
  toggleAll: () => void
  clear: () => void
}

/** @param rows undefined while they load */
export function useSelection<Row>(rows: readonly Row[] | undefined, idOf: (row: Row) => string): Selection<Row> {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  // By ID, because sorting moves rows.
  const before = useRef<string>(undefined)
  const shown = rows ?? []
  const selected = shown.filter((row) => ids.has(idOf(row)))
  // A row that another filter hides is not selected when it comes back.
  if (rows && selected.length < ids.size) setIds(new Set(selected.map(idOf)))
  const select = (next: ReadonlySet<string>, last?: string) => {
    before.current = last
    setIds(next)
  }
  return {
    rows: selected,
    has: (row) => ids.has(idOf(row)),
    toggle(at, isRange) {
      const next = new Set(ids)
      const id = idOf(shown[at]!)
      const isOn = !ids.has(id)
      const other = isRange ? shown.findIndex((row) => idOf(row) === before.current) : -1
      const [from, to] = other === -1 ? [at, at] : [Math.min(other, at), Math.max(other, at)]
      for (const row of shown.slice(from, to + 1)) {
        if (isOn) next.add(idOf(row))
        else next.delete(idOf(row))
      }
      select(next, id)
    },
    toggleAll: () => select(new Set(shown.every((row) => ids.has(idOf(row))) ? [] : shown.map(idOf))),
    clear: () => select(new Set()),
  }
}
