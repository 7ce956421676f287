import { Time } from '../components/Time.tsx'
import type { Column } from './DataTable.tsx'

/** A column with a time of each row, or a dash. */
export const timeColumn = <Row,>(
  { head, at, as }: { head: string; at: (row: Row) => string | null; as?: 'date' },
  more: Pick<Column<Row>, 'isNumber' | 'phone' | 'sortBy'> = { isNumber: true },
): Column<Row> => ({
  id: head.toLowerCase(),
  head,
  ...more,
  cell: (row) => {
    const time = at(row)
    if (time === null) return <span className="t3">–</span>
    return (
      <span className="t2">
        <Time at={time} {...(as && { as })} />
      </span>
    )
  },
})
