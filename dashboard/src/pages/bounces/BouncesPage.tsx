import { Select } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useCursorList } from '../../api/cursor-list.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { ContactLink } from '../../components/ContactLink.tsx'
import { LoadMoreButton } from '../../components/LoadMoreButton.tsx'
import { ServerReply } from '../../components/ServerReply.tsx'
import { Page } from '../../layout/Page.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { ViewTabs } from '../../primitives/ViewTabs.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import { BOUNCE_KINDS, describeBounce, describeSource, KINDS } from './bounce-kinds.ts'
import { ProviderWebhooks } from './ProviderWebhooks.tsx'

type Bounce = Schemas['Bounce']

const COLUMNS: readonly Column<Bounce>[] = [
  {
    id: 'contact',
    head: 'Contact',
    phone: 'title',
    cell: ({ contactId }) =>
      contactId === null ? <span className="t3">No contact</span> : <ContactLink contactId={contactId} />,
  },
  { id: 'kind', head: 'Type', phone: 'state', cell: ({ kind }) => BOUNCE_KINDS[kind] },
  {
    id: 'effect',
    head: 'Cause and effect',
    phone: 'about',
    wraps: true,
    cell: ({ kind, category }) => <span className="t2">{describeBounce({ kind, category })}</span>,
  },
  {
    id: 'diagnostic',
    head: 'Diagnostic',
    phone: 'about',
    wraps: true,
    cell: ({ diagnostic, status, source }) => (
      <span className="t2">
        {/* The diagnostic already contains the status code. */}
        <ServerReply reply={diagnostic ?? status ?? '–'} /> <span className="t3">{describeSource(source)}</span>
      </span>
    ),
  },
  timeColumn({ head: 'Time', at: ({ createdAt }) => createdAt }, { isNumber: true, phone: 'number' }),
]

/** Lists bounces and complaints, and sets up who reports them. */
export function BouncesPage() {
  const { workspace } = useWorkspace()
  const { kind, contactId, view = 'reports' } = useSearch({ from: '/w/$workspaceId/bounces' })
  const navigate = useNavigate({ from: '/w/$workspaceId/bounces' })
  const { rows, error, refetch, nextPage } = useCursorList(['bounces', kind, contactId], async (api, page, signal) => {
    const query = { ...page, ...(kind && { kind }), ...(contactId && { contactId }) }
    return (await api.GET('/bounces', { params: { query }, signal })).data
  })
  return (
    <Page
      title="Bounces"
      actions={
        view === 'reports' && (
          <Select
            aria-label="Type"
            w={230}
            value={kind ?? 'all'}
            allowDeselect={false}
            onChange={(value) => {
              const chosen = KINDS.find((each) => each === value)
              void navigate({
                search: { ...(contactId !== undefined && { contactId }), ...(chosen && { kind: chosen }) },
                replace: true,
              })
            }}
            data={[
              { value: 'all', label: 'All types' },
              ...KINDS.map((value) => ({ value, label: BOUNCE_KINDS[value] })),
            ]}
          />
        )
      }
    >
      <ViewTabs
        label="Views"
        views={[
          { id: 'reports', label: 'Reports' },
          { id: 'sources', label: 'Sources' },
        ]}
        value={view}
        onChange={(id) => void navigate({ search: id === 'sources' ? { view: id } : {}, replace: true })}
      />
      {view === 'sources' ? (
        <ProviderWebhooks />
      ) : (
        <>
          {contactId !== undefined && (
            <p className="small t2">
              Showing the bounces of one contact.{' '}
              <Link to="/w/$workspaceId/bounces" params={{ workspaceId: workspace.id }} search={kind ? { kind } : {}}>
                Show all
              </Link>
            </p>
          )}
          <DataTable<Bounce>
            label="Bounces"
            rows={rows}
            error={error}
            onRetry={refetch}
            idOf={({ id }) => id}
            columns={COLUMNS}
            empty={
              <p className="t2">
                No bounces{kind ? ' of this type' : ''} yet. Reports from mail servers and{' '}
                <Link to="/w/$workspaceId/bounces" params={{ workspaceId: workspace.id }} search={{ view: 'sources' }}>
                  email providers
                </Link>{' '}
                appear here.
              </p>
            }
          />
          <LoadMoreButton of={nextPage} />
        </>
      )}
    </Page>
  )
}
