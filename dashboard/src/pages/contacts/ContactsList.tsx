import { IconUsers } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useHasRole, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { omit } from '../../lib/omit.ts'
import { plural } from '../../lib/format.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { Pager } from '../../primitives/Pager.tsx'
import type { Contact } from './columns.tsx'
import type { ContactFilters } from './read-contacts.ts'
import { ContactBulkActions } from './ContactBulkActions.tsx'

export interface ContactSearch extends ContactFilters {
  page?: number | undefined
  /** IDs of the columns. */
  columns?: readonly string[] | undefined
}

const PAGE_SIZE = 50

/** A page of the contacts that match. */
export function ContactsList({
  search: { page = 1, ...search },
  columns,
  onPage,
  newContact,
}: {
  search: ContactSearch
  columns: readonly Column<Contact>[]
  onPage: (page: number) => void
  /** The button that creates the first one. */
  newContact: ReactNode
}) {
  const { workspace } = useWorkspace()
  const filters = omit(search, 'columns')
  const canEdit = useHasRole('editor')
  const { data, error, refetch } = useWorkspaceQuery(
    ['contacts', 'page', page, filters],
    async (api, signal) => {
      const query = { page, limit: PAGE_SIZE, ...filters } as { page: number; limit: number }
      return (await api.GET('/contacts', { params: { query }, signal })).data
    },
    { keepPrevious: true },
  )
  const isAll = Object.values(filters).every((value) => value === undefined)
  return (
    <>
      <DataTable<Contact>
        label="Contacts"
        rows={data?.data}
        error={error}
        onRetry={() => void refetch()}
        idOf={({ id }) => id}
        columns={columns}
        link={({ id }, title) => (
          <Link to="/w/$workspaceId/contacts/$contactId" params={{ workspaceId: workspace.id, contactId: id }}>
            {title}
          </Link>
        )}
        {...(canEdit && {
          bulk: {
            nameOf: ({ email }) => email,
            keptFor: JSON.stringify(filters),
            actions: (contacts, clear) => <ContactBulkActions contacts={contacts} onDone={clear} />,
          },
          keys: [
            ['N', 'New contact'],
            ['/', 'Search'],
          ] as const,
        })}
        total={data && plural(data.pagination.total, 'contact')}
        empty={
          data && page > Math.max(1, data.pagination.totalPages) ? (
            <p className="t2">
              This page is empty now.{' '}
              <button type="button" className="textButton link" onClick={() => onPage(1)}>
                Go to the first page
              </button>
            </p>
          ) : isAll ? (
            <EmptyPage icon={IconUsers} title="No contacts yet" action={newContact}>
              Contacts come from your app, from an import, or one at a time.
            </EmptyPage>
          ) : (
            <p className="t2">No contacts match these filters.</p>
          )
        }
      />
      <Pager page={page} pages={data?.pagination.totalPages ?? 1} onChange={onPage} />
    </>
  )
}
