import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { MESSAGE_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { Section } from '../../layout/Page.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import { secondsLabel } from './seconds-label.ts'

type Email = Schemas['EmailSummary']

const COLUMNS: readonly Column<Email>[] = [
  { id: 'to', head: 'To', phone: 'title', cell: ({ to }) => <bdi className="strong">{to}</bdi> },
  {
    id: 'status',
    head: 'Status',
    phone: 'state',
    cell: ({ status }) =>
      status === 'CANCELLED' ? 'Cancelled' : <StatusBadge status={MESSAGE_STATUS[status]} plain />,
  },
  { id: 'subject', head: 'Subject', phone: 'about', wraps: true, cell: ({ subject }) => <bdi>{subject}</bdi> },
  {
    id: 'took',
    head: 'Send time',
    isNumber: true,
    cell: ({ createdAt, scheduledAt, sentAt }) =>
      sentAt === null ? (
        <span className="t3">–</span>
      ) : (
        secondsLabel(
          (Date.parse(sentAt) - Math.max(Date.parse(createdAt), Date.parse(scheduledAt ?? createdAt))) / 1_000,
        )
      ),
  },
  timeColumn({ head: 'Created', at: ({ createdAt }) => createdAt }),
]

/** The last transactional emails, with their outcomes. */
export function LatestEmails() {
  const { workspace } = useWorkspace()
  const { data, error } = useWorkspaceQuery(
    ['emails', 'last'],
    async (api, signal) => (await api.GET('/emails', { params: { query: { limit: 10 } }, signal })).data.data,
    { refetchMs: 5_000 },
  )
  return (
    <Section title="Latest emails">
      <DataTable<Email>
        label="Latest emails"
        rows={data}
        error={error}
        idOf={({ id }) => id}
        columns={COLUMNS}
        link={({ id }, title) => (
          <Link to="/w/$workspaceId/messages/$messageId" params={{ workspaceId: workspace.id, messageId: id }}>
            {title}
          </Link>
        )}
        empty={null}
        hidesFoot
      />
    </Section>
  )
}
