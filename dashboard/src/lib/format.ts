/** Numbers and times are formatted in the user's language and time zone. */
export const locale = navigator.languages.find(isLocale) ?? 'en'

/** Some systems report tags that `Intl` rejects, such as `en-US@posix`. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}

const whole = new Intl.NumberFormat(locale)
export const count = (value: number): string => whole.format(value)

/** Formats a share, such as `12.5%`; empty without a total. */
export const percentOf = (value: number, total: number): string =>
  total > 0 ? `${((100 * value) / total).toFixed(1)}%` : ''

/** Formats the difference of two shares in percentage points, such as "+2.5" or "−2.5". */
export function points(difference: number): string {
  const text = Math.abs(100 * difference).toFixed(1)
  if (text === '0.0') return text
  return `${difference > 0 ? '+' : '−'}${text}`
}

/** Formats a count that stops at `max`: `cappedCount(1_000, 1_000)` is "1,000+". */
export const cappedCount = (value: number, max: number): string => `${count(value)}${value >= max ? '+' : ''}`

/** Formats a count with its noun: `plural(1, 'message')` is "1 message". */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

const short = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const withYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' })
const clock = new Intl.DateTimeFormat(locale, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const long = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', hourCycle: 'h23' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric' })

export const timeOf = (date: Date): string => clock.format(date)
export const dayOf = (date: Date): string => weekday.format(date)
export const fullDate = (date: Date): string => long.format(date)
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** Formats as "2026-11-24 14:32:08 UTC". */
export const utc = (date: Date): string => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`

export const dateOf = (date: Date, now = new Date()): string =>
  date.getFullYear() === now.getFullYear() ? short.format(date) : withYear.format(date)

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })

const wallTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })
/** Formats a time without a zone, such as "2026-09-01T09:00", as "1 Sept 2026, 09:00". */
export const localTimeLabel = (local: string): string => wallTime.format(new Date(local))

/** Formats as "2 min. ago" or "in 41 min.", and as a date beyond a week. */
export function ago(date: Date, now: Date): string {
  const seconds = Math.round((date.getTime() - now.getTime()) / 1_000)
  if (Math.abs(seconds) > 7 * 86_400) return dateOf(date, now)
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? UNITS[3]
  return relative.format(Math.trunc(seconds / size), unit)
}

/** Formats minutes: `duration(1500)` is "1 day 1 hour". */
export function duration(minutes: number): string {
  const parts: string[] = []
  let rest = minutes
  for (const [unit, size] of [
    ['day', 1_440],
    ['hour', 60],
    ['minute', 1],
  ] as const) {
    const value = Math.floor(rest / size)
    rest -= value * size
    if (value > 0) parts.push(plural(value, unit))
  }
  return parts.join(' ') || '0 minutes'
}

const day = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' })
const dayWithYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' })
const month = new Intl.DateTimeFormat(locale, { month: 'short' })
const weekdayAndTime = new Intl.DateTimeFormat(locale, {
  weekday: 'long',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** Formats as "Saturday 21 November", or "Today". */
export function dayLabel(date: Date, now: Date): string {
  if (date.toDateString() === now.toDateString()) return 'Today'
  return (date.getFullYear() === now.getFullYear() ? day : dayWithYear).format(date)
}

const dayAlone = new Intl.DateTimeFormat(locale, { day: 'numeric' })
/** Returns the day of the month in the user's calendar, which may not be Gregorian. */
export const dayNumber = (date: Date): string =>
  dayAlone.formatToParts(date).find(({ type }) => type === 'day')?.value ?? ''
export const monthOf = (date: Date): string => month.format(date)
export const weekdayTime = (date: Date): string => weekdayAndTime.format(date)

/** Days for which a weekday names one date. */
const WEEKDAYS_AHEAD = 6
/** Formats a time to come as "Friday 11:10", and as a date from a week on. */
export const momentOf = (date: Date, now = new Date()): string =>
  date.getTime() - now.getTime() < WEEKDAYS_AHEAD * 86_400_000 ? weekdayTime(date) : dateOf(date, now)

const minute = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
/** Formats as "14:31". */
export const minuteOf = (date: Date): string => minute.format(date)
