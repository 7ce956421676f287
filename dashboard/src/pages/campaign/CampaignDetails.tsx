import { useListName, useSegmentName, useCampaignTemplate, useSender } from '../../api/queries.ts'
import { count, localTimeLabel } from '../../lib/format.ts'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import type { Campaign } from '../campaigns/campaigns.ts'
import { warmUpStatus } from '../sender/warm-up-status.ts'

/** The content, audience, schedule and speed of a campaign. */
export function CampaignDetails({ campaign }: { campaign: Campaign }) {
  const listName = useListName()
  const segmentName = useSegmentName()
  const warmUp = useWarmUp(campaign)
  const template = useCampaignTemplate(campaign)
  const { audience, localTime, fallbackTimeZone, scheduledAt, startedAt, finishedAt, throttlePerHour } = campaign
  const namesOf = ({ listIds, segmentIds }: Pick<Campaign['audience'], 'listIds' | 'segmentIds'>) =>
    [
      ...listIds.map((id) => listName(id) ?? 'a deleted list'),
      ...segmentIds.map((id) => segmentName(id) ?? 'a deleted segment'),
    ].join(', ')
  const without = namesOf(audience.exclude)
  return (
    <Section title="Details">
      <dl className="facts">
        <dt>Subject</dt>
        <dd>{campaign.subject ?? <span className="t3">Not set</span>}</dd>
        {campaign.templateId !== null && (
          <>
            <dt>Template</dt>
            <dd>
              {template ? (
                template.name
              ) : campaign.html !== null || campaign.text !== null ? (
                'Deleted template'
              ) : (
                <span className="mono t3">{campaign.templateId}</span>
              )}
              , version {campaign.templateVersion}
              {template?.isNewer &&
                (campaign.status === 'DRAFT'
                  ? `. Version ${template.version} is available; edit the draft to use it`
                  : campaign.status === 'SCHEDULED' && `. Version ${template.version} is available but won’t be sent`)}
            </dd>
          </>
        )}
        <dt>Audience</dt>
        <dd>{namesOf(audience) || <span className="t3">Not set</span>}</dd>
        {without !== '' && (
          <>
            <dt>Excluded</dt>
            <dd>{without}</dd>
          </>
        )}
        <dt>Send time</dt>
        <dd>
          {localTime !== null
            ? `${localTimeLabel(localTime)} in each recipient’s time zone (${fallbackTimeZone ?? 'UTC'} if unknown)`
            : scheduledAt !== null && <Time at={scheduledAt} as="time" />}
          {localTime === null && scheduledAt === null && <span className="t3">Not scheduled</span>}
        </dd>
        {startedAt !== null && (
          <>
            <dt>Started</dt>
            <dd>
              <Time at={startedAt} as="date" />
            </dd>
          </>
        )}
        {finishedAt !== null && (
          <>
            <dt>Finished</dt>
            <dd>
              <Time at={finishedAt} as="date" />
            </dd>
          </>
        )}
        <dt>Send speed</dt>
        <dd>{throttlePerHour === null ? 'No limit' : `At most ${count(throttlePerHour)} per hour`}</dd>
        {warmUp != null && (
          <>
            <dt>Warm-up</dt>
            <dd>{warmUpStatus(warmUp)}</dd>
          </>
        )}
        <dt>Email type</dt>
        <dd>{campaign.category === 'marketing' ? 'Marketing' : 'Transactional (ignores unsubscribes)'}</dd>
      </dl>
    </Section>
  )
}

/** Milliseconds between two looks at the warm-up. */
const WARM_UP_MS = 15_000

/** Loads the warm-up that limits an unsent campaign. Transactional emails are not limited. */
function useWarmUp({ category, finishedAt }: Campaign) {
  const isToBeSent = category === 'marketing' && finishedAt === null
  const { data: sender } = useSender(isToBeSent ? WARM_UP_MS : undefined)
  return isToBeSent && sender?.warmUp?.allowedToday != null ? sender.warmUp : null
}
