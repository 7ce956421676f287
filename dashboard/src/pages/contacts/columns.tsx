import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useListName, useMetadataKeys } from '../../api/queries.ts'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { contactName, firstNameOf } from '../../lib/first-name.ts'
import type { Column } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import classes from './contacts.module.css'
import { subscriptionOf } from './subscription.ts'

export type Contact = Schemas['Contact']

/** The columns that are shown before any are chosen. */
const DEFAULTS = ['subscription', 'lists', 'tags', 'created']
/** Begins the ID of the column of an attribute. */
const ATTRIBUTE = 'attribute.'

// On a phone there is no head, so “None” would have no subject.
const NONE = <span className="t3 wide">None</span>

const Tags = ({ names }: { names: readonly string[] }) =>
  names.length === 0
    ? NONE
    : names.map((name) => (
        <span key={name} className={classes.tag}>
          {name}
        </span>
      ))

function attributeText(value: unknown): ReactNode {
  if (value === undefined || value === null) return NONE
  return <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
}

/**
 * The columns of the list of contacts.
 *
 * @param wanted IDs, as in the URL. Without them, the defaults
 */
export function useContactColumns(wanted: readonly string[] = DEFAULTS) {
  const listName = useListName()
  const keys = useMetadataKeys()
  // A chosen attribute that no contact of the last ones has is still a column.
  const attributes = [
    ...new Set([...keys, ...wanted.flatMap((id) => (id.startsWith(ATTRIBUTE) ? id.slice(ATTRIBUTE.length) : []))]),
  ]
  const contact: Column<Contact> = {
    id: 'contact',
    head: 'Contact',
    phone: 'title',
    cell: (row) => (
      <>
        <bdi className="strong">{contactName(row)}</bdi>
        <span className="small t2" style={{ display: 'block' }}>
          {firstNameOf(row) === undefined ? 'No name' : <bdi>{row.email}</bdi>}
        </span>
      </>
    ),
  }
  const choices: readonly Column<Contact>[] = [
    {
      id: 'subscription',
      head: 'Subscription',
      phone: 'state',
      cell: (row) => <StatusBadge status={subscriptionOf(row)} plain />,
    },
    {
      id: 'lists',
      head: 'Lists',
      cell: ({ listIds }) => <Tags names={listIds.flatMap((id) => listName(id) ?? [])} />,
    },
    { id: 'tags', head: 'Tags', phone: 'about', cell: ({ tags }) => <Tags names={tags} /> },
    ...attributes.map((key) => ({
      id: `${ATTRIBUTE}${key}`,
      head: key,
      cell: ({ metadata }: Contact) => attributeText(metadata[key]),
    })),
    {
      id: 'externalId',
      head: 'External ID',
      cell: ({ externalId }) => (externalId === null ? NONE : <bdi className="mono">{externalId}</bdi>),
    },
    { ...timeColumn<Contact>({ head: 'Updated', at: ({ updatedAt }) => updatedAt, as: 'date' }), id: 'updated' },
    {
      ...timeColumn<Contact>({ head: 'Created', at: ({ createdAt }) => createdAt, as: 'date' }),
      id: 'created',
      phone: 'number',
    },
  ]
  return {
    columns: [contact, ...choices.filter(({ id }) => wanted.includes(id))],
    choices: choices.map(({ id, head }) => ({ id, label: head })),
    chosen: wanted,
  }
}
