import { Link, useParams } from '@tanstack/react-router'
import { useHasRole, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Notice } from '../../components/Notice.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { ToList } from '../../layout/ToList.tsx'
import { Decision } from './Decision.tsx'
import { OUTDATED, PROPOSAL_STATUS, type Proposal, titleOf } from './proposals.ts'
import { ProposedRehearsal } from './ProposedRehearsal.tsx'
import { PublicationContent } from './PublicationContent.tsx'
import { SendingContent } from './SendingContent.tsx'

const REFETCH_MS = 10_000

/** Shows a proposal: what it would do, why, and the decision. */
export function ProposalPage() {
  const canEdit = useHasRole('editor')
  const { proposalId } = useParams({ from: '/w/$workspaceId/proposals/$proposalId' })
  const { data, error, refetch } = useWorkspaceQuery(
    ['proposals', proposalId],
    async (api, signal) =>
      (await api.GET('/proposals/{id}', { params: { path: { id: proposalId } }, signal })).data.data,
    { refetchMs: REFETCH_MS },
  )
  const parent = <ToList list="proposals">Proposals</ToList>
  if (!data)
    return (
      <Page title="Proposal" parent={parent} narrow>
        {error ? <ErrorBanner error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={8} />}
      </Page>
    )
  const isOpen = data.status === 'PENDING'
  return (
    <Page
      title={titleOf(data)}
      parent={parent}
      meta={<StatusBadge status={isOpen && data.isOutdated ? OUTDATED : PROPOSAL_STATUS[data.status]} />}
      narrow
    >
      {isOpen && data.isOutdated && (
        <Notice title={`The ${noun(data)} was changed or deleted after this was proposed`}>
          <p>This proposal can’t be approved anymore. Reject it, and ask for a new one.</p>
        </Notice>
      )}
      {isOpen && canEdit && <Decision proposal={data} />}
      <Section title="Reason">
        <p style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{data.reason}</p>
      </Section>
      <Section title="Details">
        <Facts proposal={data} />
      </Section>
      {data.rehearsalId !== null && <ProposedRehearsal rehearsalId={data.rehearsalId} />}
      {data.kind === 'SEND_CAMPAIGN' ? <SendingContent proposal={data} /> : <PublicationContent proposal={data} />}
    </Page>
  )
}

const noun = ({ kind }: Proposal): string => (kind === 'SEND_CAMPAIGN' ? 'campaign' : 'automation')

function Facts({ proposal }: { proposal: Proposal }) {
  const { workspace } = useWorkspace()
  const { automationId, campaignId, targetName, status, decidedBy, decidedAt } = proposal
  const params = { workspaceId: workspace.id }
  return (
    <dl className="facts">
      <dt>{campaignId === null ? 'Automation' : 'Campaign'}</dt>
      <dd>
        {automationId !== null && (
          <Link className="link" to="/w/$workspaceId/automations/$automationId" params={{ ...params, automationId }}>
            {targetName}
          </Link>
        )}
        {campaignId !== null && (
          <Link className="link" to="/w/$workspaceId/campaigns/$campaignId" params={{ ...params, campaignId }}>
            {targetName}
          </Link>
        )}
      </dd>
      <dt>Proposed by</dt>
      <dd>
        {proposal.proposedBy}, <Time at={proposal.createdAt} />
      </dd>
      {decidedBy !== null && decidedAt !== null ? (
        <>
          <dt>{status === 'APPROVED' ? 'Approved by' : 'Rejected by'}</dt>
          <dd>
            {decidedBy}, <Time at={decidedAt} />
          </dd>
        </>
      ) : (
        <>
          <dt>{status === 'EXPIRED' ? 'Expired' : 'Expires'}</dt>
          <dd>
            <Time at={proposal.expiresAt} />
          </dd>
        </>
      )}
    </dl>
  )
}
