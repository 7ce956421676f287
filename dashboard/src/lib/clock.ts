import { useSyncExternalStore } from 'react'

/**
 * Difference between the server's clock and the browser's, from the `Date` header of each response. With a wrong browser clock, past messages would seem to be in the future.
 */
let aheadMs = 0

export function syncClock(response: Response): void {
  const date = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(date)) return
  const ahead = date - Date.now()
  // The header has a resolution of one second.
  if (Math.abs(ahead - aheadMs) > 2_000) aheadMs = ahead
}

export const now = (): Date => new Date(Date.now() + aheadMs)

const listeners = new Set<() => void>()
let ticks = 0
setInterval(() => {
  ticks += 1
  for (const tell of listeners) tell()
}, 1_000)

const subscribe = (tell: () => void) => {
  listeners.add(tell)
  return () => void listeners.delete(tell)
}

/** Returns the current time and rerenders the component every `everySeconds`. */
export function useNow(everySeconds = 10): Date {
  useSyncExternalStore(subscribe, () => Math.floor(ticks / everySeconds))
  return now()
}
