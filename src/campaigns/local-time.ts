import { Temporal } from 'temporal-polyfill'
import type { ZoneTime } from './recipients-queries.ts'

/** A time as a clock on a wall shows it: a date and a time of day (RFC 3339, without an offset). */
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/

/** A name of each zone that there is; most have others, too. */
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

/** As long as a name of the time zone database can be. */
const MAX_NAME = 64

/**
 * Whether a name is one of a time zone, also one that it had once (`Asia/Calcutta`); in any case of letters. Abbreviations that are of
 * several (`IST`, `CST`) are none, though `Intl` takes them: what reckons with them is asked.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name) || name.length > MAX_NAME) return false
  try {
    new Temporal.ZonedDateTime(0n, name)
    return true
  } catch {
    return false
  }
}

/** When a zone's clocks show a time. One that they skip is as long after it as it would have been; of two the first counts. */
function instantIn(zone: string, time: Temporal.PlainDateTime): Date {
  return new Date(time.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds)
}

/** When clocks show a time, in zones of such names; what is no zone is left out. */
export interface LocalTimes {
  in(names: readonly string[]): ZoneTime[]
  /** Where none is known. */
  fallback: Date
}

/**
 * @param fallback the zone of those of whom none is known
 * @see https://tc39.es/proposal-temporal/docs/timezone.html#ambiguity-due-to-dst-or-other-time-zone-offset-changes
 */
export function localTimes(localTime: string, fallback: string): LocalTimes {
  const time = Temporal.PlainDateTime.from(localTime)
  const known = new Map<string, ZoneTime | undefined>()
  const of = (zone: string): ZoneTime | undefined => {
    if (!known.has(zone)) known.set(zone, isTimeZone(zone) ? { zone, at: instantIn(zone, time) } : undefined)
    return known.get(zone)
  }
  return { in: (names) => names.flatMap((name) => of(name) ?? []), fallback: instantIn(fallback, time) }
}

/** When the first clocks show a time, which is when a campaign at a local time begins; and the last ones. */
export function spanOf(times: LocalTimes): { first: Date; last: Date } {
  const all = [times.fallback.getTime(), ...times.in(ZONES).map(({ at }) => at.getTime())]
  return { first: new Date(Math.min(...all)), last: new Date(Math.max(...all)) }
}
