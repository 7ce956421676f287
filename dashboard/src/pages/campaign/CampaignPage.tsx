import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ConfirmDelete } from '../../components/ConfirmDelete.tsx'
import { PausedNotice } from '../../components/PausedNotice.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { ToList } from '../../layout/ToList.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { type Campaign, CAMPAIGN_STATUS, isInProgress } from '../campaigns/campaigns.ts'
import { CampaignPreview } from './CampaignPreview.tsx'
import { CampaignDetails } from './CampaignDetails.tsx'
import { CampaignActions } from './CampaignActions.tsx'
import { DuplicateCampaignButton } from './DuplicateCampaignButton.tsx'
import { plural } from '../../lib/format.ts'
import { Composer } from './composer/Composer.tsx'
import { useAudienceCount } from './composer/use-audience-count.ts'
import { CampaignReport } from './report/CampaignReport.tsx'
import { ResendToNonOpeners } from './report/ResendToNonOpeners.tsx'

/** A campaign with its content, audience, schedule and results. */
export function CampaignPage() {
  const { campaignId } = useParams({ from: '/w/$workspaceId/campaigns/$campaignId' })
  const canEdit = useHasRole('editor')
  const [isDeleting, { open, close }] = useDisclosure()
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
  const canDelete = !isInProgress(status) && status !== 'PAUSED'
  const actions = canEdit && !isDeleting && (
    <>
      {canDelete && (
        <Button variant="subtle" color="gray" onClick={open}>
          Delete…
        </Button>
      )}
      <DuplicateCampaignButton id={campaignId} />
      <CampaignActions campaign={campaign} />
    </>
  )
  const asks = isDeleting && <ConfirmDeleteCampaign campaign={campaign} onDone={close} />
  if (status === 'DRAFT' && canEdit) {
    // The page keeps refetching. The composer keeps the draft that it opened, which it alone saves.
    return (
      <Composer key={campaignId} from={data} actions={actions}>
        {asks}
      </Composer>
    )
  }
  return (
    <Page
      parent={<ToList list="campaigns">Campaigns</ToList>}
      title={name}
      meta={<StatusBadge status={CAMPAIGN_STATUS[status]} />}
      actions={actions}
      aside={
        <>
          {canEdit && <ResendToNonOpeners campaign={campaign} />}
          <CampaignDetails campaign={campaign} />
        </>
      }
    >
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {asks}
      {status === 'PAUSED' && campaign.pauseReason !== null && <PausedNotice reason={campaign.pauseReason} />}
      {campaign.startedAt !== null && <CampaignReport campaign={campaign} startedAt={campaign.startedAt} />}
      {status === 'SCHEDULED' && campaign.startedAt === null && <ScheduledAudience campaign={campaign} />}
      {campaign.subject !== null && (
        <Section title="Email">
          <CampaignPreview campaign={campaign} />
        </Section>
      )}
    </Page>
  )
}

/** Counts the contacts to whom a scheduled campaign would go now. */
function ScheduledAudience({ campaign }: { campaign: Campaign }) {
  const { recipients } = useAudienceCount(campaign)
  return (
    <Section title="Scheduled">
      <p className="t2">
        {recipients === undefined ? 'Counting contacts…' : `About ${plural(recipients, 'recipient')}.`} They are counted
        again when sending starts. Until then, you can unschedule it.
      </p>
    </Section>
  )
}

function ConfirmDeleteCampaign({ campaign: { id, startedAt }, onDone }: { campaign: Campaign; onDone: () => void }) {
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
      description={startedAt === null ? 'It was not sent.' : 'Sent messages stay in the contacts’ activity.'}
      action={remove}
      onDone={onDone}
    />
  )
}
