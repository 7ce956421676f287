import { Button } from '@mantine/core'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { MessageBreakdown } from '../../components/MessageBreakdown.tsx'
import { MessageResults } from '../../components/MessageResults.tsx'
import { ConfirmDelete } from '../../components/ConfirmDelete.tsx'
import { count, plural } from '../../lib/format.ts'
import { PausedNotice } from '../../components/PausedNotice.tsx'
import { ReputationWarnings } from '../../components/ReputationWarnings.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { MESSAGE_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { CampaignForm } from '../campaigns/CampaignForm.tsx'
import { type Campaign, CAMPAIGN_STATUS, isInProgress } from '../campaigns/campaigns.ts'
import { CampaignPreview } from './CampaignPreview.tsx'
import { CampaignDetails } from './CampaignDetails.tsx'
import { CampaignActions } from './CampaignActions.tsx'
import { DuplicateCampaignButton } from './DuplicateCampaignButton.tsx'
import { ScheduleForm } from './ScheduleForm.tsx'
import { AbTestResult } from './AbTestResult.tsx'

/** A campaign with its content, audience, schedule and results. */
export function CampaignPage() {
  const { campaignId } = useParams({ from: '/w/$workspaceId/campaigns/$campaignId' })
  const canEdit = useHasRole('editor')
  const [asked, setDoing] = useState<'editing' | 'scheduling' | 'deleting'>()
  const stop = () => setDoing(undefined)
  const { data, error, refetch } = useWorkspaceQuery(
    ['campaigns', campaignId],
    async (api, signal) => {
      const { data: answer, response } = await api.GET('/campaigns/{id}', {
        params: { path: { id: campaignId } },
        signal,
      })
      return { campaign: answer.data, etag: response.headers.get('etag') }
    },
    { refetchMs: 2_000 },
  )
  if (!data) {
    return (
      <Page title="Campaign" narrow>
        {error ? <ErrorBanner error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={8} />}
      </Page>
    )
  }
  const { campaign } = data
  const { status, name } = campaign
  const isDraft = status === 'DRAFT'
  // Close the schedule form once sending has started, even if its own request got no response.
  if (asked === 'scheduling' && !isDraft) setDoing(undefined)
  const doing = asked === 'scheduling' && !isDraft ? undefined : asked
  return (
    <Page
      title={name}
      narrow
      meta={<StatusBadge status={CAMPAIGN_STATUS[status]} />}
      actions={
        canEdit &&
        doing === undefined && (
          <>
            {!isInProgress(status) && status !== 'PAUSED' && (
              <Button variant="subtle" color="gray" onClick={() => setDoing('deleting')}>
                Delete…
              </Button>
            )}
            {isDraft && <Button onClick={() => setDoing('editing')}>Edit</Button>}
            {isDraft && (
              <Button variant="filled" onClick={() => setDoing('scheduling')}>
                Send…
              </Button>
            )}
            <DuplicateCampaignButton id={campaignId} />
            <CampaignActions campaign={campaign} />
          </>
        )
      }
    >
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {status === 'PAUSED' && campaign.pauseReason !== null && <PausedNotice reason={campaign.pauseReason} />}
      {doing === 'deleting' && <ConfirmDeleteCampaign campaign={campaign} onDone={stop} />}
      {/* The page keeps refetching; the form keeps the state in which it was opened. */}
      {doing === 'editing' && <CampaignForm from={data} onSaved={stop} onCancel={stop} />}
      {/* Sends exactly what the user sees, by its ETag. */}
      {doing === 'scheduling' && isDraft && <ScheduleForm from={data} onDone={stop} />}
      {!isDraft && <DeliveryReport campaign={campaign} />}
      {campaign.abTest && <AbTestResult test={campaign.abTest} />}
      <CampaignDetails campaign={campaign} />
      {doing !== 'editing' && campaign.subject !== null && <CampaignPreview campaign={campaign} />}
    </Page>
  )
}

/** The number of links that are shown. */
const MAX_LINKS = 10

/** The delivery report: all recipients by status, the results of their emails, and the links that they clicked. */
function DeliveryReport({ campaign: { id, stats, status } }: { campaign: Campaign }) {
  const { workspace } = useWorkspace()
  const { data: report } = useWorkspaceQuery(
    ['campaigns', id, 'report', status],
    async (api, signal) => (await api.GET('/campaigns/{id}/report', { params: { path: { id } }, signal })).data.data,
    isInProgress(status) ? { refetchMs: 5_000 } : {},
  )
  const reasons = report?.reasons ?? []
  return (
    <Section title="Delivery">
      <MessageBreakdown
        counts={stats}
        isTest={workspace.mode === 'test'}
        total={{ label: 'In audience', value: stats.recipients }}
      />
      {report && report.results.sent > 0 && (
        <div style={{ marginTop: 16 }}>
          <MessageResults results={report.results} />
          <ReputationWarnings findings={report.reputation} />
          {report.results.opened > 0 && <p className="small t3">Opens are an estimate.</p>}
        </div>
      )}
      {report && report.links.length > 0 && (
        <table className="table" style={{ marginTop: 16 }}>
          <thead>
            <tr>
              <th>Link</th>
              <th className="num">Clicked</th>
            </tr>
          </thead>
          <tbody>
            {report.links.slice(0, MAX_LINKS).map(({ variant, url, clicks }) => (
              <tr key={`${variant} ${url}`}>
                <td className="t2" style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
                  {url}
                  {variant !== null && <span className="t3"> Variant {variant + 1}</span>}
                </td>
                <td className="num strong">{count(clicks)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {stats.erased > 0 && (
        <p className="small t3">
          {plural(stats.erased, 'recipient')} {stats.erased === 1 ? 'has' : 'have'} since been erased.
        </p>
      )}
      {reasons.length > 0 && (
        <table className="table" style={{ marginTop: 16 }}>
          <thead>
            <tr>
              <th>Not sent</th>
              <th>Reason</th>
              <th className="num">Contacts</th>
            </tr>
          </thead>
          <tbody>
            {reasons.map(({ status: each, reason, count: many }) => (
              <tr key={`${each} ${reason}`}>
                <td>
                  <StatusBadge status={MESSAGE_STATUS[each]} plain />
                </td>
                <td className="t2">{reason}</td>
                <td className="num strong">
                  <Link
                    to="/w/$workspaceId/messages"
                    params={{ workspaceId: workspace.id }}
                    search={{ status: each, campaignId: id }}
                  >
                    {count(many)}
                  </Link>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p style={{ marginTop: 12 }}>
        <Link
          className="link"
          to="/w/$workspaceId/messages"
          params={{ workspaceId: workspace.id }}
          search={{ campaignId: id }}
        >
          View messages
        </Link>
      </p>
    </Section>
  )
}

function ConfirmDeleteCampaign({ campaign: { id }, onDone }: { campaign: Campaign; onDone: () => void }) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const navigate = useNavigate()
  const remove = async () => {
    await api.DELETE('/campaigns/{id}', { params: { path: { id } } })
    await navigate({ to: '/w/$workspaceId/campaigns', params: { workspaceId: workspace.id } })
    void invalidate('campaigns', 'page')
  }
  return (
    <ConfirmDelete
      object="campaign"
      path={`/campaigns/${id}`}
      description="Sent messages stay in the contacts’ activity."
      action={remove}
      onDone={onDone}
    />
  )
}
