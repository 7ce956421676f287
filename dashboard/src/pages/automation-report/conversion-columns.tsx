import type { Schemas } from '../../api/client.ts'
import { count, percentOf } from '../../lib/format.ts'
import type { Column } from '../../primitives/DataTable.tsx'

/** Enrollments of a version or a branch, and those that reached the goal. */
export type Converted = Pick<Schemas['Conversion'], 'enrolled' | 'counted' | 'reached'>

/** The columns of a conversion. @param enrolled the head of the first one */
export const conversionColumns = <Row extends Converted>(enrolled: string): readonly Column<Row>[] => [
  { id: 'enrolled', head: enrolled, isNumber: true, cell: (of) => count(of.enrolled) },
  { id: 'counted', head: 'Counted', isNumber: true, cell: ({ counted }) => count(counted) },
  { id: 'reached', head: 'Goal', isNumber: true, phone: 'figure', cell: ({ reached }) => count(reached) },
  {
    id: 'rate',
    head: 'Conversion',
    isNumber: true,
    phone: 'figure',
    cell: ({ reached, counted }) => <span className="strong">{percentOf(reached, counted) || '–'}</span>,
  },
]
