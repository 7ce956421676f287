import { Time } from '../components/Time.tsx'
import type { Column } from './DataTable.tsx'

/** A column with a time of each row. */
export const timeColumn = <Row,>(
  { head, at, as }: { head: string; at: (row: Row) => string; as?: 'date' },
  more: Pick<Column<Row>, 'isNumber' | 'phone' | 'sortBy'> = { isNumber: true },
): Column<Row> => ({
  id: head.toLowerCase(),
  head,
  ...more,
  cell: (row) => (
    <span className="t2">
      <Time at={at(row)} {...(as && { as })} />
    </span>
  ),
})
