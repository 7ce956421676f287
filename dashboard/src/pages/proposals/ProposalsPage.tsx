import { IconListCheck } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Page } from '../../layout/Page.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { Pager } from '../../primitives/Pager.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import { ViewTabs } from '../../primitives/ViewTabs.tsx'
import { isProposalStatus, PROPOSAL_STATUS, type ProposalStatus, type ProposalSummary, titleOf } from './proposals.ts'

const REFETCH_MS = 10_000

const VIEWS: readonly { id: ProposalStatus | 'all'; label: string }[] = [
  { id: 'all', label: 'All' },
  { id: 'PENDING', label: 'Waiting' },
  { id: 'APPROVED', label: 'Approved' },
  { id: 'REJECTED', label: 'Rejected' },
  { id: 'EXPIRED', label: 'Expired' },
]

/** Lists what agents and other API keys propose. */
export function ProposalsPage() {
  const { workspace } = useWorkspace()
  const { status, page = 1 } = useSearch({ from: '/w/$workspaceId/proposals' })
  const navigate = useNavigate({ from: '/w/$workspaceId/proposals' })
  const { data, error, refetch } = useWorkspaceQuery(
    ['proposals', status, page],
    async (api, signal) => {
      const query = { page, ...(status && { status }) }
      return (await api.GET('/proposals', { params: { query }, signal })).data
    },
    { refetchMs: REFETCH_MS, keepPrevious: true },
  )
  return (
    <Page title="Proposals">
      <ViewTabs
        label="Status"
        views={VIEWS}
        value={status ?? 'all'}
        onChange={(id) => void navigate({ search: isProposalStatus(id) ? { status: id } : {}, replace: true })}
      />
      <DataTable<ProposalSummary>
        label="Proposals"
        rows={data?.data}
        error={error}
        onRetry={() => void refetch()}
        idOf={({ id }) => id}
        columns={COLUMNS}
        link={({ id }, title) => (
          <Link to="/w/$workspaceId/proposals/$proposalId" params={{ workspaceId: workspace.id, proposalId: id }}>
            {title}
          </Link>
        )}
        empty={
          status === undefined ? (
            <EmptyPage icon={IconListCheck} title="No proposals yet">
              An agent with an API key writes drafts. To publish an automation or send a campaign, it makes a proposal,
              which you approve or reject here.
            </EmptyPage>
          ) : (
            <p className="t2">No proposals have this status.</p>
          )
        }
      />
      <Pager
        page={page}
        pages={data?.pagination.totalPages ?? 1}
        onChange={(next) => void navigate({ search: (shown) => ({ ...shown, page: next }) })}
      />
    </Page>
  )
}

const COLUMNS: readonly Column<ProposalSummary>[] = [
  {
    id: 'proposal',
    head: 'Proposal',
    phone: 'title',
    cell: (proposal) => <span className="strong">{titleOf(proposal)}</span>,
  },
  {
    id: 'status',
    head: 'Status',
    phone: 'state',
    cell: ({ status }) => <StatusBadge status={PROPOSAL_STATUS[status]} plain />,
  },
  {
    id: 'reason',
    head: 'Reason',
    wraps: true,
    phone: 'about',
    cell: ({ reason }) => <span className="t2">{reason}</span>,
  },
  { id: 'by', head: 'Proposed by', cell: ({ proposedBy }) => <span className="t2">{proposedBy}</span> },
  timeColumn({ head: 'Proposed', at: ({ createdAt }) => createdAt }, { isNumber: true, phone: 'number' }),
]
