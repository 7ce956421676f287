import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import { plural } from '../../lib/format.ts'
import { CampaignPreview } from '../campaign/CampaignPreview.tsx'
import type { Proposal } from './proposals.ts'

/** Shows when a campaign would be sent, to how many contacts, and its email. */
export function SendingContent({ proposal: { campaignId, content, isOutdated } }: { proposal: Proposal }) {
  const id = campaignId!
  const { data, error, refetch } = useWorkspaceQuery(
    ['proposals', 'campaign', id],
    async (api, signal) => {
      const campaign = (await api.GET('/campaigns/{id}', { params: { path: { id } }, signal })).data.data
      const { audience, category } = campaign
      const count = await api.POST('/campaigns/count', { body: { audience, category }, signal })
      return { campaign, contactCount: count.data.data.contactCount }
    },
    // A campaign with another revision is not the one that was proposed.
    { enabled: !isOutdated },
  )
  const { at, localTime, fallbackTimeZone } = content as Partial<Record<string, string>>
  return (
    <>
      <Section title="Sending">
        <dl className="facts">
          <dt>Start</dt>
          <dd>
            {at !== undefined ? (
              <Time at={at} />
            ) : localTime !== undefined ? (
              `${localTime.replace('T', ', ')} in each contact’s time zone, or ${fallbackTimeZone ?? 'UTC'}`
            ) : (
              'When it is approved'
            )}
          </dd>
          {data && (
            <>
              <dt>Subject</dt>
              <dd>{data.campaign.subject ?? 'No subject'}</dd>
              <dt>Recipients</dt>
              <dd>{plural(data.contactCount, 'contact')}, as of now</dd>
            </>
          )}
        </dl>
      </Section>
      {!isOutdated && error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!isOutdated && !data && !error && <SkeletonRows rows={4} />}
      {data && (
        <Section title="Email">
          <CampaignPreview campaign={data.campaign} />
        </Section>
      )}
    </>
  )
}
