import { useListName, useSegmentName, useCampaignTemplate } from '../../api/queries.ts'
import { count } from '../../lib/format.ts'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import type { Campaign } from '../campaigns/campaigns.ts'
import { warmUpStatus } from '../sender/warm-up-status.ts'

/** What a campaign says, to whom, when and how fast. */
export function CampaignDetails({ campaign }: { campaign: Campaign }) {
  const listName = useListName()
  const segmentName = useSegmentName()
  const warmUp = useWarmUp(campaign)
  const template = useCampaignTemplate(campaign)
  const { audience, localTime, fallbackTimeZone, scheduledAt, startedAt, finishedAt, throttlePerHour } = campaign
  const namesOf = ({ listIds, segmentIds }: Pick<Campaign['audience'], 'listIds' | 'segmentIds'>) =>
    [
      ...listIds.map((id) => listName(id) ?? 'a list that is gone'),
      ...segmentIds.map((id) => segmentName(id) ?? 'a segment that is gone'),
    ].join(', ')
  const without = namesOf(audience.exclude)
  return (
    <Section title="What, and to whom">
      <dl className="facts">
        <dt>Subject</dt>
        <dd>{campaign.subject ?? <span className="t3">None yet</span>}</dd>
        {campaign.templateId !== null && (
          <>
            <dt>Says</dt>
            <dd>
              Version {campaign.templateVersion} of{' '}
              {template ? (
                template.name
              ) : campaign.html !== null || campaign.text !== null ? (
                'a template that is deleted'
              ) : (
                <span className="mono t3">{campaign.templateId}</span>
              )}
              {template?.isNewer &&
                (campaign.status === 'DRAFT'
                  ? `; there is version ${template.version} by now: edit the draft to take it`
                  : campaign.status === 'SCHEDULED' &&
                    `; there is version ${template.version} by now, which is not sent`)}
            </dd>
          </>
        )}
        <dt>For</dt>
        <dd>{namesOf(audience) || <span className="t3">Nobody yet</span>}</dd>
        {without !== '' && (
          <>
            <dt>But nobody of</dt>
            <dd>{without}</dd>
          </>
        )}
        <dt>Goes</dt>
        <dd>
          {localTime !== null
            ? `${localTime.replace('T', ' ')} on the clocks where each contact is; of an unknown zone, in ${fallbackTimeZone ?? 'UTC'}`
            : scheduledAt !== null && <Time at={scheduledAt} as="date" />}
          {localTime === null && scheduledAt === null && <span className="t3">Not scheduled</span>}
        </dd>
        {startedAt !== null && (
          <>
            <dt>Began</dt>
            <dd>
              <Time at={startedAt} as="date" />
            </dd>
          </>
        )}
        {finishedAt !== null && (
          <>
            <dt>Ended</dt>
            <dd>
              <Time at={finishedAt} as="date" />
            </dd>
          </>
        )}
        <dt>Speed</dt>
        <dd>{throttlePerHour === null ? 'As fast as it goes' : `${count(throttlePerHour)} emails an hour at most`}</dd>
        {warmUp != null && (
          <>
            <dt>Warm-up</dt>
            <dd>{warmUpStatus(warmUp)}</dd>
          </>
        )}
        <dt>Category</dt>
        <dd>{campaign.category === 'marketing' ? 'Marketing' : 'Transactional: also to who has unsubscribed'}</dd>
      </dl>
    </Section>
  )
}

/** What holds a campaign back that is still to be sent; transactional ones wait for nothing. */
function useWarmUp({ category, finishedAt }: Campaign) {
  const isToBeSent = category === 'marketing' && finishedAt === null
  const { data: sender } = useWorkspaceQuery(
    ['sender'],
    async (api, signal) => (await api.GET('/sender', { signal })).data.data,
    { refetchMs: 15_000, enabled: isToBeSent },
  )
  return isToBeSent && sender?.warmUp?.allowedToday != null ? sender.warmUp : null
}
