import { Temporal } from 'temporal-polyfill'
import { isTimestamp } from './timestamp.ts'

/** A local date and time of day (RFC 3339, without an offset). */
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/

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

/** Returns the time zone of a contact: `metadata.timezone`, or else the workspace's. */
export function zoneOfContact(metadata: Readonly<Record<string, unknown>>, workspaceZone: string): string {
  const own = metadata['timezone']
  return typeof own === 'string' && isTimeZone(own) ? own : workspaceZone
}

/**
 * Returns when a zone's clocks show a time. A skipped time is moved forward by the length of the gap; of a repeated time, the
 * first counts.
 *
 * @see https://tc39.es/proposal-temporal/docs/timezone.html#ambiguity-due-to-dst-or-other-time-zone-offset-changes
 */
export function instantIn(zone: string, time: Temporal.PlainDateTime): Date {
  return new Date(time.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds)
}

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** Reads a time with an offset (ISO 8601), or a local date or time in the zone. @returns `null` for other values */
export function dateIn(value: unknown, zone: string): Date | null {
  if (typeof value !== 'string') return null
  const isDate = DATE.test(value)
  // A timestamp can be a date alone, which then means midnight in UTC.
  if (!isDate && isTimestamp(value)) return new Date(value)
  try {
    if (isDate) return instantIn(zone, Temporal.PlainDate.from(value, { overflow: 'reject' }).toPlainDateTime())
    return instantIn(zone, Temporal.PlainDateTime.from(value, { overflow: 'reject' }))
  } catch {
    return null
  }
}
