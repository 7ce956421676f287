import type { Schemas } from '../../../api/client.ts'
import { Section } from '../../../layout/Page.tsx'
import { useNow } from '../../../lib/clock.ts'
import { dateOf, plural } from '../../../lib/format.ts'
import { Bars } from '../../../primitives/Bars.tsx'
import type { Campaign } from '../../campaigns/campaigns.ts'
import { useTimeline } from './use-timeline.ts'
import classes from './report.module.css'

const HOURS = 48
const HOUR_MS = 3_600_000

/** First opens and clicks by hour since the start. */
export function Engagement({ campaign, startedAt }: { campaign: Campaign; startedAt: string }) {
  const timeline = useTimeline(campaign)
  const now = useNow(60)
  if (!timeline || timeline.hours.length === 0) return null
  const { hours } = timeline
  const sum = (of: 'opened' | 'clicked') => hours.reduce((total, hour) => total + hour[of], 0)
  return (
    <Section
      title="Engagement"
      meta={`First ${HOURS} hours`}
      action={
        <span className={classes.legend}>
          <span>Opens</span>
          <span data-part>Clicks</span>
        </span>
      }
    >
      <Bars label="Opens and clicks by hour" bars={everyHour(hours, new Date(startedAt), now)} tone="accent" />
      <p className="small t2" style={{ marginTop: 8 }}>
        {plural(sum('opened'), 'open')} and {plural(sum('clicked'), 'click')} in the first {HOURS} hours.
      </p>
    </Section>
  )
}

/** Fills in the hours without opens. */
function everyHour(hours: Schemas['CampaignTimeline']['hours'], start: Date, now: Date) {
  const many = Math.min(HOURS, Math.max(1, Math.ceil((now.getTime() - start.getTime()) / HOUR_MS)))
  return Array.from({ length: many }, (_, n) => {
    const at = new Date(start.getTime() + n * HOUR_MS)
    const { opened, clicked } = hours.find((hour) => Date.parse(hour.at) === at.getTime()) ?? { opened: 0, clicked: 0 }
    return {
      label: dateOf(at, now),
      value: opened,
      part: clicked,
      text: plural(opened, 'open'),
      title: `${dateOf(at, now)}: ${plural(opened, 'open')}, ${plural(clicked, 'click')}`,
    }
  })
}
