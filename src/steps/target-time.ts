import { Temporal } from 'temporal-polyfill'
import { type WaitTarget, WEEKDAYS } from '../automation-engine/index.ts'
import { instantIn } from '../platform/time-zone.ts'

const MINUTE_MS = 60_000
/** Days in which some weekday and time of day is found: a week, and a day for a time that the clocks skip. */
const SEARCHED_DAYS = 9

export interface TargetContext {
  /** An IANA time zone. */
  zone: string
  /** When the step was reached. */
  now: Date
  /** The value of the target's field; `null` if it is missing or not a date. */
  date: Date | null
}

/**
 * Returns the instant for which a WAIT_UNTIL waits; `null` if its field has no date.
 *
 * A local time that the zone's clocks skip is moved forward by the length of the gap. Of a time that occurs twice, the first counts.
 */
export function instantOfTarget(target: WaitTarget, { zone, now, date }: TargetContext): Date | null {
  const { at, field, offsetMinutes = 0, timeOfDay, weekdays } = target
  if (field !== undefined && date === null) return null
  const start =
    at !== undefined
      ? instantIn(zone, Temporal.PlainDateTime.from(at))
      : field !== undefined
        ? new Date(date!.getTime() + offsetMinutes * MINUTE_MS)
        : now
  return timeOfDay === undefined && weekdays === undefined ? start : firstMatch(start, zone, timeOfDay, weekdays)
}

/** The first time from `start` on that has the time of day, or else the one of `start`, on one of the weekdays. */
function firstMatch(
  start: Date,
  zone: string,
  timeOfDay: string | undefined,
  weekdays: WaitTarget['weekdays'] = [...WEEKDAYS],
): Date {
  const local = Temporal.Instant.fromEpochMilliseconds(start.getTime()).toZonedDateTimeISO(zone)
  const time = timeOfDay === undefined ? local.toPlainTime() : Temporal.PlainTime.from(timeOfDay)
  for (let days = 0; days < SEARCHED_DAYS; days += 1) {
    const day = local.toPlainDate().add({ days })
    if (!weekdays.includes(WEEKDAYS[day.dayOfWeek - 1]!)) continue
    // The start itself matches, also as the second of two equal local times.
    if (days === 0 && timeOfDay === undefined) return start
    const instant = instantIn(zone, day.toPlainDateTime(time))
    if (instant.getTime() >= start.getTime()) return instant
  }
  throw new Error(`No weekday of ${weekdays.join(', ')} within ${SEARCHED_DAYS} days`)
}
