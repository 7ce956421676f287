import { Tooltip } from '@mantine/core'
import { useNow } from '../lib/clock.ts'
import { ago, dateOf, fullDate, utc } from '../lib/format.ts'

/** A time, with the full date and UTC in a tooltip. @param as relative to now, as a date, or as a date and time */
export function Time({ at, as = 'ago' }: { at: string | null; as?: 'ago' | 'date' | 'time' }) {
  const now = useNow()
  if (at === null) return <span className="t3">Never</span>
  const date = new Date(at)
  return (
    <Tooltip label={`${fullDate(date)}, ${utc(date)}`}>
      <time dateTime={at}>{as === 'ago' ? ago(date, now) : as === 'date' ? dateOf(date, now) : fullDate(date)}</time>
    </Tooltip>
  )
}

/** The time of the next step, which is "due" once it has passed. */
export function NextStepTime({ at }: { at: string | null }) {
  const now = useNow()
  const isDue = at !== null && new Date(at) < now
  return (
    <>
      {isDue && 'due '}
      <Time at={at} />
    </>
  )
}
