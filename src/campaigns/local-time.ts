import { Temporal } from 'temporal-polyfill'
import type { ZoneTime } from './recipients-queries.ts'

/** A local date and time of day (RFC 3339, without an offset). */
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/

/** One name of each time zone. Most zones also have aliases. */
const ZONES: readonly string[] = [...Intl.supportedValuesOf('timeZone'), 'UTC']

/** @returns whether a text is a local time, on a day that exists in the calendar */
export function isLocalTime(text: string): boolean {
  if (!LOCAL_TIME.test(text)) return false
  try {
    Temporal.PlainDateTime.from(text, { overflow: 'reject' })
    return true
  } catch {
    return false
  }
}

/** Maximum length of a name in the time zone database. */
const MAX_NAME = 64

/**
 * Checks whether a name is a time zone. Accepts former names (`Asia/Calcutta`) and any letter case. Rejects ambiguous
 * abbreviations (`IST`, `CST`), although `Intl` accepts them.
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

/**
 * Returns when a zone's clocks show a time. A skipped time is moved forward by the length of the gap; for a repeated time, the
 * first occurrence counts.
 */
function instantIn(zone: string, time: Temporal.PlainDateTime): Date {
  return new Date(time.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds)
}

/** Instants at which a local time occurs, by time zone name. Names that are not zones are left out. */
export interface LocalTimes {
  in(names: readonly string[]): ZoneTime[]
  /** For contacts without a known zone. */
  fallback: Date
}

/**
 * @param fallback the zone of contacts without a known zone
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

/** The first instant at which a zone's clocks show a time, when a campaign at a local time starts, and the last one. */
export function spanOf(times: LocalTimes): { first: Date; last: Date } {
  const all = [times.fallback.getTime(), ...times.in(ZONES).map(({ at }) => at.getTime())]
  return { first: new Date(Math.min(...all)), last: new Date(Math.max(...all)) }
}
