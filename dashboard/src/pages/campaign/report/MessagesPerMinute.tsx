import type { Schemas } from '../../../api/client.ts'
import { Section } from '../../../layout/Page.tsx'
import { useNow } from '../../../lib/clock.ts'
import { count, minuteOf } from '../../../lib/format.ts'
import { Bars } from '../../../primitives/Bars.tsx'
import type { Campaign } from '../../campaigns/campaigns.ts'
import { useTimeline } from './use-timeline.ts'

const MINUTES = 60
const MINUTE_MS = 60_000

/** The emails that were sent in each of the last minutes. */
export function MessagesPerMinute({ campaign, startedAt }: { campaign: Campaign; startedAt: string }) {
  const timeline = useTimeline(campaign)
  const now = useNow().getTime()
  if (!timeline || timeline.minutes.length === 0) return null
  const last = now - (now % MINUTE_MS)
  const first = Math.max(last - (MINUTES - 1) * MINUTE_MS, Date.parse(startedAt) - (Date.parse(startedAt) % MINUTE_MS))
  return (
    <Section title="Messages per minute" meta={`Last ${MINUTES} minutes`}>
      <Bars label="Messages per minute" bars={everyMinute(timeline.minutes, first, last)} tone="accent" />
    </Section>
  )
}

/** Fills in the minutes without emails. The current one is not over. */
const everyMinute = (minutes: Schemas['CampaignTimeline']['minutes'], first: number, last: number) =>
  Array.from({ length: (last - first) / MINUTE_MS + 1 }, (_, n) => {
    const at = first + n * MINUTE_MS
    const label = minuteOf(new Date(at))
    const sent = minutes.find((minute) => Date.parse(minute.at) === at)?.sent ?? 0
    return { label, value: sent, text: count(sent), title: `${label}: ${count(sent)} sent`, isOpen: at === last }
  })
