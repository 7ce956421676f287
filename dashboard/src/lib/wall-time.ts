import { locale } from './format.ts'

/** Returns a date whose UTC fields are what clocks in a zone show. */
export const wallTime = (at: string, timeZone: string): Date =>
  // This locale formats as ISO 8601 does: "2027-03-01 09:00:00".
  new Date(`${new Date(at).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`)

function formatter(options: Intl.DateTimeFormatOptions): (wall: Date) => string {
  const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options })
  return (wall) => format.format(wall)
}

const weekday = { weekday: 'short', day: 'numeric', month: 'short' } as const
const dayOfThisYear = formatter(weekday)
const dayOfYear = formatter({ ...weekday, year: 'numeric' })
/** Formats as "Tue 24 Nov", or as "Tue, 24 Nov 2026" in another year. */
export const wallDay = (wall: Date): string =>
  (wall.getUTCFullYear() === new Date().getFullYear() ? dayOfThisYear : dayOfYear)(wall)
/** Formats as "24 Nov". */
export const wallDate = formatter({ day: 'numeric', month: 'short' })
/** Formats as "14:32". */
export const wallMinute = formatter({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
export const wallMonth = formatter({ month: 'short' })
export const wallMonthOfYear = formatter({ month: 'short', year: 'numeric' })
