export const MINUTE_MS = 60_000
export const startOfMinute = (time: number): number => time - (time % MINUTE_MS)

/** Whole minutes over which the rate is the mean. */
const MINUTES = 2

/** Returns how many emails are sent in a minute; undefined before the first whole minute is over. Times are in milliseconds. */
export function sendRate(
  minutes: readonly { at: string; sent: number }[],
  startedAt: number,
  now: number,
): number | undefined {
  const end = startOfMinute(now)
  const begin = Math.max(end - MINUTES * MINUTE_MS, Math.ceil(startedAt / MINUTE_MS) * MINUTE_MS)
  if (begin >= end) return undefined
  const sent = minutes
    .filter(({ at }) => Date.parse(at) >= begin && Date.parse(at) < end)
    .reduce((sum, minute) => sum + minute.sent, 0)
  return sent / ((end - begin) / MINUTE_MS)
}
