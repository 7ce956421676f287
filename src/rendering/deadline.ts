/** What a job may take of a process. */
export interface Allowance {
  /** Processor time of the process, in milliseconds: a machine that is busy does not use it up. */
  deadlineMs: number
  /** Time on the wall, in milliseconds: the net below. */
  wallMs: number
}

/** Into so many parts a deadline is divided. */
const TICKS = 10

export interface Deadline {
  end(): void
}

/**
 * Watches over one job of a process.
 * @param usedMs tells the processor time that the process has used, in milliseconds.
 * @param onOver is told once: `late`, the job took more than it may; or `busy`, the machine did not let it go on.
 */
export function startDeadline(
  { deadlineMs, wallMs }: Allowance,
  usedMs: () => number,
  onOver: (how: 'late' | 'busy') => void,
): Deadline {
  const tick = deadlineMs / TICKS
  const before = usedMs()
  /** Time that has passed, while this process ran, too: one that was stopped for a minute has not waited for a minute. */
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
