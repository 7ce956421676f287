import { SegmentedControl } from '@mantine/core'
import { IconKey, IconTerminal2, IconUser, type TablerIcon } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useCursorList } from '../../api/cursor-list.ts'
import { useHasRole } from '../../api/workspace.tsx'
import { LoadMoreButton } from '../../components/LoadMoreButton.tsx'
import { AuditObject } from './AuditObject.tsx'
import { operationLabel } from './operations.ts'
import { SettingsPage } from '../../layout/SettingsPage.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'

type Actor = Schemas['AuditEntry']['actor']

const ICONS: Record<Actor, TablerIcon> = { person: IconUser, key: IconKey, 'command line': IconTerminal2 }

type Entry = Schemas['AuditEntry']

const COLUMNS: readonly Column<Entry>[] = [
  timeColumn({ head: 'Time', at: ({ createdAt }) => createdAt, as: 'date' }, { phone: 'number' }),
  {
    id: 'actor',
    head: 'Actor',
    phone: 'about',
    cell: ({ actor, actorName }) => {
      const Icon = ICONS[actor]
      return (
        <span className="row">
          <Icon aria-label={actor} role="img" />
          {actorName}
        </span>
      )
    },
  },
  {
    id: 'action',
    head: 'Action',
    phone: 'title',
    cell: ({ operation }) => <span className="strong">{operationLabel(operation)}</span>,
  },
  {
    id: 'object',
    head: 'Object',
    phone: 'about',
    cell: ({ operation, targetId }) => targetId !== null && <AuditObject operation={operation} id={targetId} />,
  },
  { id: 'address', head: 'IP address', cell: ({ address }) => <span className="mono t3">{address}</span> },
  { id: 'request', head: 'Request ID', cell: ({ requestId }) => <span className="mono t3">{requestId}</span> },
]

/** Lists what people, keys and the command line changed. */
export function AuditPage() {
  const isOwner = useHasRole('owner')
  const { by } = useSearch({ from: '/w/$workspaceId/audit' })
  const navigate = useNavigate({ from: '/w/$workspaceId/audit' })
  const {
    rows: entries,
    error,
    refetch,
    nextPage,
  } = useCursorList(
    ['audit', by],
    async (api, page, signal) =>
      (await api.GET('/audit', { params: { query: { ...page, ...(by && { actor: by }) } }, signal })).data,
    { enabled: isOwner },
  )
  if (!isOwner)
    return (
      <SettingsPage title="Audit log">
        <p className="t2">Only owners can view the audit log.</p>
      </SettingsPage>
    )
  return (
    <SettingsPage
      title="Audit log"
      actions={
        <SegmentedControl
          aria-label="Actor"
          value={by ?? 'all'}
          onChange={(value) => void navigate({ search: value === 'all' ? {} : { by: value }, replace: true })}
          data={[
            { value: 'all', label: 'All' },
            { value: 'person', label: 'People' },
            { value: 'key', label: 'API keys' },
            { value: 'command line', label: 'Command line' },
          ]}
        />
      }
    >
      <DataTable<Entry>
        label="Audit log"
        rows={entries}
        error={error}
        onRetry={refetch}
        idOf={({ id }) => id}
        columns={COLUMNS}
        empty={<p className="t2">No activity yet.</p>}
      />
      <LoadMoreButton of={nextPage} />
      <p className="small t3" style={{ marginTop: 16 }}>
        Actions of members are kept for 400 days, actions of API keys for 30 days.
      </p>
    </SettingsPage>
  )
}
