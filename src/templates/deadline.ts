/** What a job may take of a thread. */
export interface Allowance {
  /** Processor time of the thread, in milliseconds: a machine that is busy does not use it up. */
  deadlineMs: number
  /** Time on the wall, in milliseconds: the net below. */
  wallMs: number
}

/** Into so many parts a deadline is divided. */
const TICKS = 10

/** A thread that answers nothing for so many deadlines is not waiting for a processor: it is inside one long call. */
const SILENT_DEADLINES = 5

export interface Deadline {
  end(): void
}

/**
 * Watches over one job of a thread.
 * @param thread tells the processor time that it has used, as soon as it is between two steps of a program.
 * @param onOver is told once: `late`, the job took more than it may; or `busy`, the machine did not let it go on.
 */
export function startDeadline(
  { deadlineMs, wallMs }: Allowance,
  thread: { cpuUsage(): Promise<NodeJS.CpuUsage> },
  onOver: (how: 'late' | 'busy') => void,
): Deadline {
  const tick = deadlineMs / TICKS
  /** Time that has passed, while this process ran, too: one that was stopped for a minute has not waited for a minute. */
  let passed = 0
  let last = performance.now()
  /** When the thread was last known to be between two steps, by `passed`. */
  let heard = 0
  let asking = false
  /** What the thread had used when it was first asked, which is one tick after the job's begin: most jobs are over by then. */
  let before: number | undefined
  let used = 0

  async function ask(): Promise<void> {
    asking = true
    try {
      const { user, system } = await thread.cpuUsage()
      const total = (user + system) / 1000
      before ??= total
      used = total - before
    } catch {
      // It has ended, which is seen elsewhere.
    } finally {
      asking = false
      heard = passed
    }
  }

  const watch = setInterval(() => {
    const now = performance.now()
    passed += Math.min(now - last, 2 * tick)
    last = now
    if (used >= deadlineMs || passed - heard > SILENT_DEADLINES * deadlineMs) over('late')
    else if (passed >= wallMs) over('busy')
    else if (!asking) void ask()
  }, tick)

  function over(how: 'late' | 'busy'): void {
    clearInterval(watch)
    onOver(how)
  }

  return { end: () => clearInterval(watch) }
}
