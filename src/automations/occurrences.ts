import { Temporal } from 'temporal-polyfill'
import { dateIn, instantIn, isTimeZone, zoneOfContact } from '../platform/time-zone.ts'
import type { TriggerConfig } from '../triggers/index.ts'

/** The configuration of a DATE trigger, with its defaults. */
export interface DateTrigger {
  /** `contact.createdAt`, or `contact.metadata.KEY`. */
  field: string
  isYearly: boolean
  offsetDays: number
  time: Temporal.PlainTime
  /** `contact`, or an IANA name. */
  zone: string
}

const CREATED_AT = 'contact.createdAt'
const METADATA_PREFIX = 'contact.metadata.'

/** Days by which a local date can differ from the one in a timestamp, which may have any offset. */
const ZONE_DAYS = 2

/** @returns `undefined` without a field */
export function dateTriggerOf(config: TriggerConfig): DateTrigger | undefined {
  const { field, repeat = 'YEARLY', offsetDays = 0, timeOfDay = '09:00', timezone = 'contact' } = config
  if (field === undefined) return undefined
  return { field, isYearly: repeat === 'YEARLY', offsetDays, time: Temporal.PlainTime.from(timeOfDay), zone: timezone }
}

/** Returns the key of the metadata that has the date; `undefined` for `contact.createdAt`. */
export const metadataKeyOf = ({ field }: DateTrigger): string | undefined =>
  field === CREATED_AT ? undefined : field.slice(METADATA_PREFIX.length)

/** An interval: after `from`, up to and including `to`. */
export interface Interval {
  from: Date
  to: Date
}

/**
 * Returns all dates that fields can have whose occurrence is in an interval, in any time zone, to find the contacts by an
 * equality. With a yearly trigger, only month and day: `MM-DD`. 28 February includes 29 February.
 */
export function possibleDates({ isYearly, offsetDays }: DateTrigger, { from, to }: Interval): string[] {
  const dayOf = (at: Date) =>
    Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO('UTC').toPlainDate()
  const last = dayOf(to).subtract({ days: offsetDays }).add({ days: ZONE_DAYS })
  const dates = new Set<string>()
  for (
    let day = dayOf(from).subtract({ days: offsetDays + ZONE_DAYS });
    Temporal.PlainDate.compare(day, last) <= 0;
    day = day.add({ days: 1 })
  ) {
    const text = day.toString()
    dates.add(isYearly ? text.slice(5) : text)
    if (isYearly && text.endsWith('02-28')) dates.add('02-29')
  }
  return [...dates]
}

/** The part of a contact that determines when a date is reached. */
export interface DatedContact {
  /** The value of the field. */
  value: unknown
  metadata: Readonly<Record<string, unknown>>
  workspaceZone: string
}

/**
 * Returns the date of the occurrence in an interval, `YYYY-MM-DD` before the offset; `undefined` if there is none, or the field
 * has no date. In years without 29 February, 28 February counts. A yearly trigger begins with the date itself, and that of
 * `contact.createdAt` a year later.
 */
export function occurrenceIn(
  trigger: DateTrigger,
  { value, metadata, workspaceZone }: DatedContact,
  { from, to }: Interval,
): string | undefined {
  const zone =
    trigger.zone !== 'contact' && isTimeZone(trigger.zone) ? trigger.zone : zoneOfContact(metadata, workspaceZone)
  const date = dateIn(value, zone)
  if (date === null) return undefined
  const own = localDate(date, zone)
  const [since, until] = [from, to].map((at) => localDate(at, zone).subtract({ days: trigger.offsetDays }).year) as [
    number,
    number,
  ]
  // Several only if a test clock moved by years.
  const years = Array.from({ length: until - since + 1 }, (_, n) => since + n)
  const firstYear = trigger.field === CREATED_AT ? own.year + 1 : own.year
  const occurrences = trigger.isYearly
    ? years.filter((year) => year >= firstYear).map((year) => own.with({ year }))
    : [own]
  return occurrences
    .find((day) => {
      const at = instantIn(zone, day.add({ days: trigger.offsetDays }).toPlainDateTime(trigger.time))
      return at.getTime() > from.getTime() && at.getTime() <= to.getTime()
    })
    ?.toString()
}

const localDate = (at: Date, zone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate()
