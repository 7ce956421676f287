import { Temporal } from 'temporal-polyfill'
import { instantIn, isTimeZone } from '../platform/time-zone.ts'
import type { ZoneTime } from './recipients-queries.ts'

/** One name of each time zone. Most zones have aliases, too. */
const ZONES: readonly string[] = [...Intl.supportedValuesOf('timeZone'), 'UTC']

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
