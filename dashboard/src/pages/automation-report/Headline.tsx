import type { Schemas } from '../../api/client.ts'
import { useSender } from '../../api/queries.ts'
import { StackedBar } from '../../components/MessageBreakdown.tsx'
import { ENROLLMENT_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { count, duration, percentOf, plural } from '../../lib/format.ts'
import { type Metric, Metrics } from '../../primitives/Metrics.tsx'
import classes from './report.module.css'

type Stats = Schemas['AutomationStats']

/** The enrollments, and the states that add up to them. */
export function Headline({ stats, hasGoal }: { stats: Stats; hasGoal: boolean }) {
  const { enrolled, completed, active, paused, stopped, cancelled, erased, exited, goalReached } = stats
  const terms = [
    { look: ENROLLMENT_STATUS.GOAL_REACHED, value: goalReached },
    // Two terms of one color would look like one.
    { look: { ...ENROLLMENT_STATUS.COMPLETED, tone: 'mute' as const }, value: completed },
    { look: ENROLLMENT_STATUS.ACTIVE, value: active - paused },
    { look: ENROLLMENT_STATUS.PAUSED, value: paused },
    { look: ENROLLMENT_STATUS.EXITED, value: exited },
    { look: ENROLLMENT_STATUS.STOPPED, value: stopped },
    { look: ENROLLMENT_STATUS.CANCELLED, value: cancelled },
    { look: { ...ENROLLMENT_STATUS.CANCELLED, label: 'Erased' }, value: erased },
  ].filter(({ value }, n) => value > 0 || (n === 0 && hasGoal) || n === 1 || n === 2)
  return (
    <section aria-label="Enrollments">
      <h2 className={classes.headline}>
        {hasGoal
          ? `${count(enrolled)} enrolled, ${count(goalReached)} reached the goal.`
          : `${count(enrolled)} enrolled, ${count(completed)} completed.`}
      </h2>
      <StackedBar terms={terms.map(({ look, value }) => ({ meaning: look.tone, value }))} />
      <dl className={classes.terms}>
        <div>
          <dt className="t2">Enrolled</dt>
          <dd>{count(enrolled)}</dd>
        </div>
        {terms.map(({ look, value }) => (
          <div key={look.label}>
            <dt>
              <StatusBadge plain status={look} />
            </dt>
            <dd>{count(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const LOW = 0.97

/** The rates of the goal and of the emails. */
export function Figures({
  results: { sent, delivered, opened, clicked, machineOpened },
  conversion,
}: {
  results: Schemas['MessageResults']
  conversion: Schemas['Conversion'] | undefined
}) {
  const { data: sender } = useSender()
  const rate = (label: string, value: number, word: string, isTracked: boolean | undefined): Metric =>
    value === 0 && isTracked === false
      ? { label, value: '–', base: 'Not tracked' }
      : { label, value: percentOf(value, delivered) || '–', base: `${count(value)} ${word}` }
  const goal: Metric[] = conversion
    ? [
        {
          label: 'Goal conversion',
          value: percentOf(conversion.reached, conversion.counted) || '–',
          base: `${count(conversion.reached)} of ${count(conversion.counted)}`,
          title: `Of the enrollments older than ${plural(conversion.windowDays, 'day')}`,
        },
        {
          label: 'Time to goal',
          value: conversion.medianMinutes === null ? '–' : shortDuration(conversion.medianMinutes),
          base: 'median',
        },
      ]
    : []
  const notes = [
    conversion?.counted === 0 &&
      `No enrollment is older than ${plural(conversion.windowDays, 'day')} yet, so there is no conversion.`,
    conversion &&
      conversion.counted > 0 &&
      `Goal conversion counts the ${plural(conversion.counted, 'enrollment')} older than ${plural(conversion.windowDays, 'day')}, so that contacts who still have time do not lower it.`,
    machineOpened > 0 && 'Opens by machines are not counted.',
  ].filter(Boolean)
  return (
    <div className={classes.figures}>
      <Metrics
        label="Rates"
        metrics={[
          ...goal,
          {
            label: 'Delivered',
            value: count(delivered),
            base: sent === 0 ? 'none sent' : `${percentOf(delivered, sent)} of ${count(sent)} sent`,
            title: delivered < LOW * sent ? 'Less than 97 %: look at Bounces' : 'Sent, without those that bounced',
          },
          rate('Open rate', opened, 'opened', sender?.trackOpens),
          rate('Click rate', clicked, 'clicked', sender?.trackClicks),
        ]}
      />
      {notes.length > 0 && <p className="small t3">{notes.join(' ')}</p>}
    </div>
  )
}

/** Formats minutes in one unit: "10.1 days". */
function shortDuration(minutes: number): string {
  if (minutes < 60) return duration(Math.round(minutes))
  const [size, unit] = minutes < 1_440 ? [60, 'hour'] : [1_440, 'day']
  const value = Math.round((10 * minutes) / size) / 10
  return `${value} ${unit}${value === 1 ? '' : 's'}`
}
