import { Temporal } from 'temporal-polyfill'
import type { ZoneTime } from './queries.ts'

/** A time as a clock on a wall shows it: a date and a time of day (RFC 3339, without an offset). */
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/

/** All zones that there are, by their names in the time zone database. */
const ZONES: readonly string[] = [...Intl.supportedValuesOf('timeZone'), 'UTC']

/** @returns whether a text is such a time, of a day that the calendar has */
export function isLocalTime(text: string): boolean {
  if (!LOCAL_TIME.test(text)) return false
  try {
    Temporal.PlainDateTime.from(text, { overflow: 'reject' })
    return true
  } catch {
    return false
  }
}

/** Whether a name is one of a time zone; in any case of letters. */
export const isTimeZone = (name: string): boolean => ZONES.some((zone) => zone.toLowerCase() === name.toLowerCase())

/** When a zone's clocks show a time. One that they skip is as long after it as it would have been; of two the first counts. */
function instantIn(zone: string, time: Temporal.PlainDateTime): Date {
  return new Date(time.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds)
}

/**
 * When clocks show a time, everywhere.
 * @param fallback the zone of those of whom none is known
 * @see https://tc39.es/proposal-temporal/docs/timezone.html#ambiguity-due-to-dst-or-other-time-zone-offset-changes
 */
export function timesByZone(localTime: string, fallback: string): { zones: ZoneTime[]; fallback: Date } {
  const time = Temporal.PlainDateTime.from(localTime)
  return { zones: ZONES.map((zone) => ({ zone, at: instantIn(zone, time) })), fallback: instantIn(fallback, time) }
}

/** When the first zone's clocks show a time: then a campaign at a local time begins. */
export function firstOf({ zones, fallback }: { zones: ZoneTime[]; fallback: Date }): Date {
  return new Date(Math.min(fallback.getTime(), ...zones.map(({ at }) => at.getTime())))
}
