/** The longest duration of a condition, in days. */
export const MAX_DAYS = 36_600
const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

const DURATION = /^(?<count>\d{1,6})(?<unit>[hd])$/

/** Parses a duration in hours or days of 24 hours: `12h`, `7d`. @returns milliseconds; `undefined` if it is not a duration */
export function durationMs(text: string): number | undefined {
  const { count, unit } = DURATION.exec(text)?.groups ?? {}
  const ms = Number(count) * (unit === 'h' ? HOUR_MS : DAY_MS)
  return ms > 0 && ms <= MAX_DAYS * DAY_MS ? ms : undefined
}
