import { wallDate, wallMonth, wallMonthOfYear } from '../../lib/wall-time.ts'

/** A mark of the axis of time. */
export interface Tick {
  at: Date
  label: string
}

const DAY_MS = 86_400_000
const MAX_DAYS = 14
const MAX_WEEKS_DAYS = 84

/** Marks the days, weeks or months between two times, which are wall times. */
export function ticksBetween(from: Date, to: Date): Tick[] {
  const days = (to.getTime() - from.getTime()) / DAY_MS
  return days > MAX_WEEKS_DAYS ? months(from, to) : everyDays(from, to, days > MAX_DAYS ? 7 : 1)
}

function everyDays(from: Date, to: Date, step: number): Tick[] {
  const ticks: Tick[] = []
  const first = Math.ceil(from.getTime() / DAY_MS) * DAY_MS
  for (let at = first; at <= to.getTime(); at += step * DAY_MS)
    ticks.push({ at: new Date(at), label: wallDate(new Date(at)) })
  return ticks
}

function months(from: Date, to: Date): Tick[] {
  const ticks: Tick[] = []
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth()]
  for (let n = 1; ; n += 1) {
    const at = new Date(Date.UTC(year, month + n, 1))
    if (at > to) return ticks
    ticks.push({ at, label: at.getUTCMonth() === 0 ? wallMonthOfYear(at) : wallMonth(at) })
  }
}
