import { useSyncExternalStore } from 'react'

/**
 * The service's time, and not the browser's: a clock that is hours off would have mail be sent in the future. Each answer says what
 * time it is there.
 */
let aheadMs = 0

export function syncClock(response: Response): void {
  const date = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(date)) return
  const ahead = date - Date.now()
  // The header has whole seconds.
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

/** The time now; the part that asks is drawn again when so many seconds have gone. */
export function useNow(everySeconds = 10): Date {
  useSyncExternalStore(subscribe, () => Math.floor(ticks / everySeconds))
  return now()
}
