import type { Schemas } from '../../../api/client.ts'
import { Section } from '../../../layout/Page.tsx'
import { useNow } from '../../../lib/clock.ts'
import { count, minuteOf } from '../../../lib/format.ts'
import { Bars } from '../../../primitives/Bars.tsx'
import type { Campaign } from '../../campaigns/campaigns.ts'
import { fillGaps } from './fill-gaps.ts'
import { MINUTE_MS, startOfMinute } from './send-rate.ts'
import { useTimeline } from './use-timeline.ts'

const MINUTES = 60

/** The emails that were sent in each of the last minutes. */
export function MessagesPerMinute({ campaign, startedAt }: { campaign: Campaign; startedAt: string }) {
  const timeline = useTimeline(campaign)
  const now = useNow().getTime()
  if (!timeline || timeline.minutes.length === 0) return null
  const last = startOfMinute(now)
  const first = Math.max(last - (MINUTES - 1) * MINUTE_MS, startOfMinute(Date.parse(startedAt)))
  return (
    <Section title="Messages per minute" meta={`Last ${MINUTES} minutes`}>
      <Bars label="Messages per minute" bars={barsOf(timeline.minutes, first, last)} tone="accent" />
    </Section>
  )
}

/** A bar for each minute, also those without emails. The current one is not over. */
const barsOf = (minutes: Schemas['CampaignTimeline']['minutes'], first: number, last: number) =>
  fillGaps(minutes, first, MINUTE_MS, (last - first) / MINUTE_MS + 1).map(({ at, row }) => {
    const label = minuteOf(new Date(at))
    const sent = row?.sent ?? 0
    return { label, value: sent, text: count(sent), title: `${label}: ${count(sent)} sent`, isOpen: at === last }
  })
