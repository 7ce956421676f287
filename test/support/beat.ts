import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Watches for how long this thread works before the next one of those who wait for it gets their turn. Processor time is
 * counted and not the clock's: on a machine that others use as well a clock tells of them.
 *
 * @returns what ends it, and tells the longest turn in milliseconds.
 */
export function startBeat(): () => Promise<number> {
  let longest = 0
  let last = now()
  let beating = true
  const beat = () => {
    const at = now()
    longest = Math.max(longest, at - last)
    last = at
    if (beating) setImmediate(beat)
  }
  setImmediate(beat)
  return async () => {
    await nextTurn()
    beating = false
    return longest
  }
}

/** The processor time of this thread, in milliseconds. */
function now(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
