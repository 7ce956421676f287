import type { Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import type { Names } from '../../components/conditions/describe-condition.ts'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import { plural } from '../../lib/format.ts'
import { CampaignPreview } from '../campaign/CampaignPreview.tsx'
import type { Proposal } from './proposals.ts'

type Audience = Schemas['Campaign']['audience']

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
  const names = useConditionNames()
  const variants = (data?.campaign.abTest?.variants ?? []).slice(1).map(({ subject }) => subject ?? 'No subject')
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
              {variants.length > 0 && (
                <>
                  <dt>Other subjects of the A/B test</dt>
                  <dd>{variants.join('; ')}</dd>
                </>
              )}
              <dt>Recipients</dt>
              <dd>{plural(data.contactCount, 'contact')}, as of now</dd>
              <dt>Audience</dt>
              <dd>{audienceText(data.campaign.audience, names)}</dd>
              <dt>Category</dt>
              <dd>
                {data.campaign.category === 'transactional'
                  ? 'Transactional: also to contacts who unsubscribed'
                  : 'Marketing'}
              </dd>
              {data.campaign.throttlePerHour !== null && (
                <>
                  <dt>Limit</dt>
                  <dd>{plural(data.campaign.throttlePerHour, 'email')} per hour</dd>
                </>
              )}
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

/** Names the lists and segments of an audience: "Newsletter, VIPs; not Customers". */
function audienceText({ listIds, segmentIds, exclude }: Audience, names: Names): string {
  const namesOf = (parts: Pick<Audience, 'listIds' | 'segmentIds'>) =>
    [
      ...parts.listIds.map((id) => names.list(id) ?? 'a deleted list'),
      ...parts.segmentIds.map((id) => names.segment(id) ?? 'a deleted segment'),
    ].join(', ')
  const excluded = namesOf(exclude)
  return excluded === '' ? namesOf({ listIds, segmentIds }) : `${namesOf({ listIds, segmentIds })}; not ${excluded}`
}
