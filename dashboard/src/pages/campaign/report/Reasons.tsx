import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../../api/client.ts'
import { useWorkspace } from '../../../api/workspace.tsx'
import { MESSAGE_STATUS, StatusBadge } from '../../../components/StatusBadge.tsx'
import { Section } from '../../../layout/Page.tsx'
import { count } from '../../../lib/format.ts'
import { type Column, DataTable } from '../../../primitives/DataTable.tsx'

type Reason = Schemas['CampaignReport']['reasons'][number]

/** Why messages were not sent. */
export function Reasons({ reasons, campaignId }: { reasons: readonly Reason[]; campaignId: string }) {
  const { workspace } = useWorkspace()
  const columns: readonly Column<Reason>[] = [
    {
      id: 'status',
      head: 'Status',
      phone: 'title',
      cell: ({ status }) => <StatusBadge status={MESSAGE_STATUS[status]} plain />,
    },
    {
      id: 'reason',
      head: 'Reason',
      phone: 'about',
      wraps: true,
      cell: ({ reason }) => <span className="t2">{reason}</span>,
    },
    {
      id: 'contacts',
      head: 'Contacts',
      isNumber: true,
      phone: 'state',
      cell: ({ status, count: many }) => (
        <Link
          className="strong"
          to="/w/$workspaceId/messages"
          params={{ workspaceId: workspace.id }}
          search={{ status, campaignId }}
        >
          {count(many)}
        </Link>
      ),
    },
  ]
  return (
    <Section title="Not sent">
      <DataTable<Reason>
        label="Not sent"
        rows={reasons}
        idOf={({ status, reason }) => `${status} ${reason}`}
        columns={columns}
        empty={null}
      />
    </Section>
  )
}
