import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../../api/client.ts'
import { useCursorList } from '../../../api/cursor-list.ts'
import { useHasRole, useWorkspace } from '../../../api/workspace.tsx'
import { LoadMoreButton } from '../../../components/LoadMoreButton.tsx'
import { MESSAGE_STATUS, StatusBadge } from '../../../components/StatusBadge.tsx'
import { ToContact } from '../../../components/ToContact.tsx'
import { Section } from '../../../layout/Page.tsx'
import { type Column, DataTable } from '../../../primitives/DataTable.tsx'
import { timeColumn } from '../../../primitives/time-column.tsx'
import { ViewTabs } from '../../../primitives/ViewTabs.tsx'
import { type Campaign, refetchOf } from '../../campaigns/campaigns.ts'
import { CreateSegmentButton } from './CreateSegmentButton.tsx'
import { RECIPIENT_GROUP_IDS, RECIPIENT_GROUPS, type RecipientGroup } from './recipient-groups.ts'
import { isSegmentGroup } from './use-create-segment.ts'
import classes from './report.module.css'

type Message = Schemas['MessageSummary']
type Results = Schemas['CampaignReport']['results']

/** The contacts of a campaign, all or those that a figure of the report counts. */
export function Recipients({ campaign, results, total }: { campaign: Campaign; results: Results; total: number }) {
  const { recipients: group } = useSearch({ from: '/w/$workspaceId/campaigns/$campaignId' })
  const navigate = useNavigate({ from: '/w/$workspaceId/campaigns/$campaignId' })
  const canEdit = useHasRole('editor')
  const many = group && RECIPIENT_GROUPS[group].countOf(results)
  const views = RECIPIENT_GROUP_IDS.map((id) => {
    const { label, countOf, isRare } = RECIPIENT_GROUPS[id]
    return { id, label, count: countOf(results), isRare }
  }).filter(({ id, count, isRare }) => id === group || !isRare || count > 0)
  const choose = (id: RecipientGroup | 'all') =>
    void navigate({ search: id === 'all' ? {} : { recipients: id }, replace: true, resetScroll: false })
  return (
    <div id="recipients" className={classes.recipients}>
      <Section
        title="Recipients"
        action={
          canEdit &&
          isSegmentGroup(group) &&
          many !== undefined &&
          many > 0 && <CreateSegmentButton campaign={campaign} group={group} many={many} />
        }
      >
        <ViewTabs<RecipientGroup | 'all'>
          label="Recipients"
          views={[{ id: 'all', label: 'All', count: total }, ...views]}
          value={group ?? 'all'}
          onChange={choose}
        />
        <RecipientsTable key={group} campaign={campaign} group={group} />
      </Section>
    </div>
  )
}

function RecipientsTable({ campaign, group }: { campaign: Campaign; group: RecipientGroup | undefined }) {
  const { id, status } = campaign
  const { workspace } = useWorkspace()
  const { rows, error, refetch, nextPage } = useCursorList(
    ['messages', 'recipients', id, status, group],
    async (api, page, signal) => {
      const query = { ...page, campaignId: id, ...(group && { outcome: RECIPIENT_GROUPS[group].outcome }) }
      return (await api.GET('/messages', { params: { query }, signal })).data
    },
    refetchOf(campaign),
  )
  return (
    <>
      <DataTable<Message>
        label="Recipients"
        rows={rows}
        error={error}
        onRetry={refetch}
        idOf={({ id: messageId }) => messageId}
        columns={columnsOf(workspace.id)}
        link={({ contactId }, title) => <ToContact contactId={contactId}>{title}</ToContact>}
        hidesFoot
        empty={<p className="t2">{group ? 'No recipients in this view.' : 'No recipients.'}</p>}
      />
      <LoadMoreButton of={nextPage} />
      <p style={{ marginTop: 12 }}>
        <Link
          className="link"
          to="/w/$workspaceId/messages"
          params={{ workspaceId: workspace.id }}
          search={{ campaignId: id }}
        >
          Open in Messages
        </Link>
      </p>
    </>
  )
}

const columnsOf = (workspaceId: string): readonly Column<Message>[] => [
  {
    id: 'contact',
    head: 'Contact',
    phone: 'title',
    wraps: true,
    cell: ({ to }) => (
      <span className="strong">
        <bdi>{to ?? 'Contact'}</bdi>
      </span>
    ),
  },
  {
    id: 'message',
    head: 'Message',
    phone: 'state',
    cell: ({ id, status }) => (
      <Link to="/w/$workspaceId/messages/$messageId" params={{ workspaceId, messageId: id }}>
        <StatusBadge status={MESSAGE_STATUS[status]} plain />
      </Link>
    ),
  },
  timeColumn({ head: 'Sent', at: ({ sentAt }) => sentAt, as: 'date' }, {}),
  timeColumn({ head: 'First open', at: ({ openedAt }) => openedAt, as: 'date' }, { phone: 'figure' }),
  timeColumn({ head: 'First click', at: ({ clickedAt }) => clickedAt, as: 'date' }, { phone: 'figure' }),
]
