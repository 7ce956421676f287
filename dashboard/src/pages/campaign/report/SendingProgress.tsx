import type { ReactNode } from 'react'
import { useSender, useServiceStatus } from '../../../api/queries.ts'
import { Time } from '../../../components/Time.tsx'
import { useNow } from '../../../lib/clock.ts'
import { count, duration, localTimeLabel, minuteOf, plural } from '../../../lib/format.ts'
import { explainReply } from '../../../lib/server-reply.ts'
import { Metrics } from '../../../primitives/Metrics.tsx'
import { type Campaign, finishedCountOf } from '../../campaigns/campaigns.ts'
import { sendRate } from './send-rate.ts'
import { useTimeline } from './use-timeline.ts'

/** Milliseconds between two looks at the warm-up. */
const REFETCH_MS = 10_000
/** Recipients per minute below which an end cannot be foreseen. */
const MIN_RATE = 1

/** How fast a campaign is sent, when it will be done, and what holds it. */
export function SendingProgress({
  campaign,
  stats,
  startedAt,
}: {
  campaign: Campaign
  stats: Campaign['stats']
  startedAt: string
}) {
  const now = useNow(2).getTime()
  const left = stats.recipients - finishedCountOf(stats)
  const holds = useHolds(campaign, stats, left)
  const timeline = useTimeline(campaign)
  const rate = holds.isStopped || !timeline ? undefined : sendRate(timeline.minutes, Date.parse(startedAt), now)
  const minutes = rate !== undefined && rate >= MIN_RATE ? Math.ceil(left / rate) : undefined
  return (
    <div>
      {holds.reasons.map((reason, n) => (
        <p key={n} className="t2" style={{ marginBottom: 8 }}>
          {reason}
        </p>
      ))}
      <Metrics
        label="Sending"
        metrics={[
          {
            label: 'Rate',
            value: rate === undefined ? '–' : `${count(Math.round(rate))} per minute`,
            base:
              campaign.throttlePerHour === null
                ? 'No limit of its own'
                : `At most ${count(campaign.throttlePerHour)} per hour`,
            title: 'The mean of the last 2 whole minutes.',
          },
          {
            label: 'Time left',
            value: minutes === undefined ? '–' : duration(minutes),
            base:
              minutes === undefined
                ? `${count(left)} waiting`
                : `Done about ${minuteOf(new Date(now + minutes * 60_000))}`,
          },
          { label: 'Deferred', value: count(stats.deferred), base: stats.deferred > 0 ? 'Tried again later' : 'None' },
        ]}
      />
    </div>
  )
}

/** Returns sentences on what keeps recipients waiting, and whether nothing is sent until it ends. */
function useHolds(
  campaign: Campaign,
  { deferred }: Campaign['stats'],
  left: number,
): { reasons: ReactNode[]; isStopped: boolean } {
  const { data: sender } = useSender(REFETCH_MS)
  const { data: service } = useServiceStatus()
  const { status, abTest, category, localTime } = campaign
  const warmUp = category === 'marketing' ? sender?.warmUp : null
  const stops: ReactNode[] = []
  if (status === 'PAUSED') stops.push('Paused: the rest waits until it is resumed.')
  if (abTest && abTest.winner === null && abTest.decidesAt !== null)
    stops.push(
      <>
        The test is sent. The winner is chosen on <Time at={abTest.decidesAt} as="date" /> and goes to the other{' '}
        {count(left)}.
      </>,
    )
  if (service?.mail.failure != null)
    stops.push(`The mail server accepts no email: ${explainReply(service.mail.failure) ?? service.mail.failure}.`)
  if (warmUp?.allowedToday != null && warmUp.sentToday >= warmUp.allowedToday)
    stops.push(`The warm-up allows ${plural(warmUp.allowedToday, 'email')} today. The rest waits for tomorrow (UTC).`)
  if (deferred > 0 && deferred === left)
    stops.push(`The mail server asked to try all ${count(deferred)} again later. Dripline does, with growing pauses.`)
  const others =
    localTime === null ? [] : [`Each recipient gets it at ${localTimeLabel(localTime)} in their time zone.`]
  return { reasons: [...stops, ...others], isStopped: stops.length > 0 || others.length > 0 }
}
