/** The limits of a job in a renderer process. */
export interface Allowance {
  /** Processor time of the process in milliseconds. Waiting for a busy machine does not count. */
  deadlineMs: number
  /** Wall-clock time in milliseconds, as a safety net. */
  wallMs: number
}

/** The number of checks per deadline. */
const TICKS = 10

export interface Deadline {
  end(): void
}

/**
 * Watches one job of a process.
 *
 * @param usedMs returns the processor time that the process has used, in milliseconds
 * @param onOver is called once: with `late` if the job exceeded its limit, or `busy` if the machine was too busy
 */
export function startDeadline(
  { deadlineMs, wallMs }: Allowance,
  usedMs: () => number,
  onOver: (how: 'late' | 'busy') => void,
): Deadline {
  const tick = deadlineMs / TICKS
  const before = usedMs()
  /** The wall-clock time in which this process ran. A process that was suspended for a minute has not used a minute. */
  let passed = 0
  let last = performance.now()

  const watch = setInterval(() => {
    const now = performance.now()
    passed += Math.min(now - last, 2 * tick)
    last = now
    if (usedMs() - before >= deadlineMs) over('late')
    else if (passed >= wallMs) over('busy')
  }, tick)

  function over(how: 'late' | 'busy'): void {
    clearInterval(watch)
    onOver(how)
  }

  return { end: () => clearInterval(watch) }
}
