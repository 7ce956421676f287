import type { CSSProperties } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useNow } from '../../lib/clock.ts'
import { count, dayOf, plural } from '../../lib/format.ts'
import classes from './FlowChart.module.css'

const HOUR_MS = 3_600_000
const BAR_HOURS = 6
const DAYS = 14
const BARS = (DAYS * 24) / BAR_HOURS
/** Lines above zero, at most. */
const MAX_LINES = 4

export interface Flow {
  /** Midnight of the first day, in milliseconds. */
  since: number
  intervals: readonly Schemas['Interval'][]
}

interface Bar {
  sent: number
  /** Messages that wait to be sent, and steps that contacts wait for. */
  scheduled: number
}

/** A bar chart of 14 days in steps of six hours: sent messages are filled, scheduled ones hollow, and a line marks now. */
export function FlowChart({ flow }: { flow: Flow | undefined }) {
  const now = useNow(60)
  if (!flow) return <div className={classes.chart} role="img" aria-label="Loading" />
  const bars = barsOf(flow)
  const step = gridStep(Math.max(...bars.map(({ sent, scheduled }) => sent + scheduled)))
  const top = Math.max(step, ...bars.map(({ sent, scheduled }) => sent + scheduled))
  const share = (value: number): CSSProperties => ({ height: `${(100 * value) / top}%` })
  const elapsed = (now.getTime() - flow.since) / (DAYS * 24 * HOUR_MS)
  return (
    <figure className={classes.chart} role="img" aria-label={chartLabel(bars)}>
      <div className={classes.legend}>
        <span className={classes.sentKey}>Sent</span>
        <span className={classes.scheduledKey}>Scheduled</span>
      </div>
      <div className={classes.plot}>
        {Array.from({ length: Math.floor(top / step) }, (_, n) => (
          <span key={n} className={classes.line} style={{ bottom: `${(100 * (n + 1) * step) / top}%` }}>
            {count((n + 1) * step)}
          </span>
        ))}
        {bars.map(({ sent, scheduled }, n) => (
          <span key={n} className={classes.bar}>
            {scheduled > 0 && <i className={classes.scheduled} style={share(scheduled)} />}
            {sent > 0 && <i className={classes.sent} style={share(sent)} />}
          </span>
        ))}
        <span className={classes.now} style={{ insetInlineStart: `${100 * elapsed}%` }}>
          <b>Now</b>
        </span>
      </div>
      <div className={classes.days}>
        {Array.from({ length: DAYS }, (_, n) => (
          <span key={n}>{dayOf(new Date(flow.since + n * 24 * HOUR_MS))}</span>
        ))}
      </div>
    </figure>
  )
}

function barsOf({ since, intervals }: Flow): Bar[] {
  const byTime = new Map(intervals.map((interval) => [Date.parse(interval.since), interval]))
  return Array.from({ length: BARS }, (_, n) => {
    const interval = byTime.get(since + n * BAR_HOURS * HOUR_MS)
    if (!interval) return { sent: 0, scheduled: 0 }
    const { queued, sending, deferred, sent, captured } = interval.messages
    return { sent: sent + captured, scheduled: queued + sending + deferred + interval.waiting }
  })
}

/** Returns a round distance between the lines. */
function gridStep(max: number): number {
  for (let power = 1; ; power *= 10)
    for (const step of [power, 2 * power, 5 * power]) if (max / step <= MAX_LINES) return step
}

function chartLabel(bars: readonly Bar[]): string {
  const sum = (of: keyof Bar) => bars.reduce((total, bar) => total + bar[of], 0)
  return `Bar chart of 14 days: ${plural(sum('sent'), 'message')} sent, ${count(sum('scheduled'))} scheduled.`
}
