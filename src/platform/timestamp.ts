const TIMESTAMP =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(T(?<hour>\d{2}):(?<minute>\d{2})(:(?<second>\d{2})(\.\d{1,9})?)?(Z|[+-](?<ahead>\d{2}):(?<by>\d{2})))?$/

/** The furthest that a clock of people is from UTC, in hours. */
const MAX_OFFSET_HOURS = 14

/**
 * Whether a text is a point in time that there is, and that Postgres holds: there is no year 0, and no 30 February. A date alone
 * is its beginning, in UTC (ISO 8601).
 */
export function isTimestamp(value: unknown): value is string {
  const parts = typeof value === 'string' ? TIMESTAMP.exec(value)?.groups : undefined
  if (!parts) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ahead = 0, by = 0] = [
    ...['year', 'month', 'day', 'hour', 'minute', 'second', 'ahead', 'by'],
  ].map((name) => Number(parts[name] ?? 0))
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return exists && year > 0 && hour < 24 && minute < 60 && second < 60 && ahead <= MAX_OFFSET_HOURS && by < 60
}
