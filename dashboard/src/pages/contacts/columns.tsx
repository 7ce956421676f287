import type { Schemas } from '../../api/client.ts'
import { useListName } from '../../api/queries.ts'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import type { Column } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import classes from './contacts.module.css'
import { subscriptionOf } from './subscription.ts'

export type Contact = Schemas['Contact']

const Tags = ({ names }: { names: readonly string[] }) =>
  names.length === 0 ? (
    <span className="t3">None</span>
  ) : (
    names.map((name) => (
      <span key={name} className={classes.tag}>
        {name}
      </span>
    ))
  )

/** The columns of the list of contacts. */
export function useContactColumns(): readonly Column<Contact>[] {
  const listName = useListName()
  return [
    {
      id: 'contact',
      head: 'Contact',
      phone: 'title',
      cell: ({ email, firstName }) => (
        <>
          <bdi className="strong">{email}</bdi>
          <span className="small t2" style={{ display: 'block' }}>
            {firstName ? <bdi>{firstName}</bdi> : 'No name'}
          </span>
        </>
      ),
    },
    {
      id: 'subscription',
      head: 'Subscription',
      phone: 'state',
      cell: (contact) => <StatusBadge status={subscriptionOf(contact)} plain />,
    },
    {
      id: 'lists',
      head: 'Lists',
      cell: ({ listIds }) => <Tags names={listIds.flatMap((id) => listName(id) ?? [])} />,
    },
    { id: 'tags', head: 'Tags', cell: ({ tags }) => <Tags names={tags} /> },
    timeColumn({ head: 'Created', at: ({ createdAt }) => createdAt, as: 'date' }),
  ]
}
