const TIMESTAMP =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(T(?<hour>\d{2}):(?<minute>\d{2})(:(?<second>\d{2})(\.\d{1,9})?)?(Z|[+-](?<ahead>\d{2}):?(?<by>\d{2})))?$/

/** The largest offset that Postgres reads, in hours. */
const MAX_POSTGRES_OFFSET_HOURS = 15

/**
 * Returns whether a text is a valid point in time that Postgres can store: there is no year 0, and no 30 February. A date alone
 * means the beginning of that day in UTC (ISO 8601). An offset follows RFC 3339, up to 23:59, or has no colon, as Python writes
 * it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc3339#section-5.6
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
  return exists && year > 0 && hour < 24 && minute < 60 && second < 60 && ahead < 24 && by < 60
}

/**
 * Converts a timestamp to a form that Postgres reads: an offset that is too large for Postgres becomes UTC.
 *
 * @param timestamp a text for which {@link isTimestamp} is true
 */
export function timestampForPostgres(timestamp: string): string {
  if (Number(TIMESTAMP.exec(timestamp)?.groups?.ahead ?? 0) <= MAX_POSTGRES_OFFSET_HOURS) return timestamp
  const date = new Date(timestamp)
  const year = date.getUTCFullYear()
  const rest = date.toISOString().replace(/^[+-]?\d+/, '')
  // The year before year 1 is 0 in JavaScript and 1 BC in Postgres.
  return year > 0 ? `${year.toString().padStart(4, '0')}${rest}` : `${(1 - year).toString().padStart(4, '0')}${rest} BC`
}
