import { useHotkeys } from '@mantine/hooks'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useWorkspace } from '../../../api/workspace.tsx'
import type { Names } from '../../../components/conditions/describe-condition.ts'
import { Section } from '../../../layout/Page.tsx'
import { count } from '../../../lib/format.ts'
import { type Column, DataTable } from '../../../primitives/DataTable.tsx'
import { Pager } from '../../../primitives/Pager.tsx'
import type { TreeIndex } from '../../builder/step-tree.ts'
import { itemsOf } from '../items.ts'
import { ROUTE } from '../route.ts'
import { WhatHappens } from '../WhatHappens.tsx'
import { signedDifference, outcomeText } from '../labels.ts'
import { type Rehearsal, type RehearsedContact, useRehearsedContacts } from './queries.ts'

/** The contacts of a rehearsal. A row opens what happens to the contact, below it. */
export function RehearsedContacts({ of, tree, names }: { of: Rehearsal; tree: TreeIndex; names: Names }) {
  const { workspace } = useWorkspace()
  const search = useSearch({ from: ROUTE })
  const navigate = useNavigate({ from: ROUTE })
  const { page = 1, difference, row } = search
  const { data, error, refetch } = useRehearsedContacts(of.id, { page, difference })
  useHotkeys([
    [
      'Escape',
      () => row !== undefined && void navigate({ search: (before) => ({ ...before, row: undefined }), replace: true }),
    ],
  ])
  const columns: readonly Column<RehearsedContact>[] = [
    { id: 'contact', head: 'Contact', phone: 'title', cell: ({ email }) => <bdi>{email}</bdi> },
    { id: 'outcome', head: 'Outcome', phone: 'about', wraps: true, cell: ({ outcome }) => outcomeText(outcome) },
    { id: 'emails', head: 'Emails', isNumber: true, phone: 'state', cell: ({ emails }) => count(emails) },
    ...(of.current
      ? [
          {
            id: 'difference',
            head: `Compared with version ${of.current.version}`,
            isNumber: true,
            phone: 'number' as const,
            cell: ({ difference: by }: RehearsedContact) => (by === null ? '–' : signedDifference(by)),
          },
        ]
      : []),
  ]
  const pagination = data?.pagination
  return (
    <Section title="Contacts" meta={pagination && count(pagination.total)}>
      <DataTable<RehearsedContact>
        label="Contacts"
        rows={data?.data}
        error={error}
        onRetry={() => void refetch()}
        idOf={({ contactId }) => contactId}
        columns={columns}
        isCurrent={({ contactId }) => contactId === row}
        link={({ contactId }, title) => (
          <Link
            to={ROUTE}
            params={{ workspaceId: workspace.id, automationId: of.automationId }}
            search={(before) => ({ ...before, row: contactId === row ? undefined : contactId })}
            replace
            resetScroll={false}
            aria-expanded={contactId === row}
          >
            {title}
          </Link>
        )}
        below={({ contactId, timeline }) =>
          contactId === row && (
            <>
              <WhatHappens items={itemsOf(timeline, { tree, names, zone: 'UTC', rendered: [] })} zone="UTC" />
              <Link
                className="link"
                to={ROUTE}
                params={{ workspaceId: workspace.id, automationId: of.automationId }}
                search={{ contact: contactId, at: of.from }}
              >
                Rehearse for this contact
              </Link>
            </>
          )
        }
        empty={<p className="t2">No contacts.</p>}
      />
      <Pager
        page={page}
        pages={pagination?.totalPages ?? 1}
        onChange={(to) =>
          void navigate({ search: (before) => ({ ...before, page: to, row: undefined }), replace: true })
        }
      />
    </Section>
  )
}
