import { isTimestamp } from '../../../src/platform/timestamp.ts'

const MINUTES = { minute: 1, hour: 60, day: 24 * 60, week: 7 * 24 * 60 } as const
const DURATION = /^(\d+) (minute|hour|day|week)s?$/

/** Reads a duration such as `3 days`. @returns milliseconds */
export function readDuration(text: string): number {
  const [, count, unit] = DURATION.exec(text) ?? []
  if (count === undefined)
    throw new Error(`"${text}" is not a duration such as 30 minutes, 12 hours, 3 days or 2 weeks`)
  return Number(count) * MINUTES[unit as keyof typeof MINUTES] * 60_000
}

/** Reads a time. @returns milliseconds since 1970 */
export function readTime(text: string, what: string): number {
  const isTime: boolean = isTimestamp(text)
  if (!isTime) throw new Error(`${what} must be a time such as 2027-03-01T09:00:00Z, not "${text}"`)
  return Date.parse(text)
}
