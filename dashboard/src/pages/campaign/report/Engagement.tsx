import type { Schemas } from '../../../api/client.ts'
import { Section } from '../../../layout/Page.tsx'
import { useNow } from '../../../lib/clock.ts'
import { dateOf, plural } from '../../../lib/format.ts'
import { Bars } from '../../../primitives/Bars.tsx'
import type { Campaign } from '../../campaigns/campaigns.ts'
import { fillGaps } from './fill-gaps.ts'
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
      <Bars label="Opens and clicks by hour" bars={barsOf(hours, new Date(startedAt), now)} tone="accent" />
      <p className="small t2" style={{ marginTop: 8 }}>
        {plural(sum('opened'), 'open')} and {plural(sum('clicked'), 'click')} in the first {HOURS} hours.
      </p>
    </Section>
  )
}

/** A bar for each hour, also those without opens. */
function barsOf(hours: Schemas['CampaignTimeline']['hours'], start: Date, now: Date) {
  const many = Math.min(HOURS, Math.max(1, Math.ceil((now.getTime() - start.getTime()) / HOUR_MS)))
  return fillGaps(hours, start.getTime(), HOUR_MS, many).map(({ at, row }) => {
    const { opened, clicked } = row ?? { opened: 0, clicked: 0 }
    const label = dateOf(new Date(at), now)
    return {
      label,
      value: opened,
      part: clicked,
      text: plural(opened, 'open'),
      title: `${label}: ${plural(opened, 'open')}, ${plural(clicked, 'click')}`,
    }
  })
}
