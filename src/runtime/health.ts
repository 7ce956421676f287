import type { Log } from '../outbox/index.ts'
import type { RunningService } from './running-service.ts'

/**
 * Says why a part does not work and will not by itself, or nothing. What is away and may come back (Postgres, Temporal, the
 * mail server) is no matter of it: ending the process would mend nothing.
 */
export type Vital = () => string | undefined

/** Whether the process can still do what it is for: `/healthz`. */
export interface Health {
  watch(vital: Vital): void
  /** What is beyond recovery, in words; empty when all is well. */
  problems(): string[]
}

export function createHealth(): Health {
  const vitals: Vital[] = []
  return {
    watch: (vital) => void vitals.push(vital),
    problems: () => vitals.flatMap((vital) => vital() ?? []),
  }
}

/** How often it is looked, and how long a process goes on that says it can't, in milliseconds. */
const LOOK_MS = 5_000
const PATIENCE_MS = 60_000

/**
 * Ends a process that has been beyond recovery for a while, so that whoever watches over it starts another: Docker restarts
 * what has ended, and not what is unhealthy. A liveness probe may be faster.
 */
export function endWhenBeyondRecovery(
  health: Health,
  log: Log,
  { lookMs = LOOK_MS, patienceMs = PATIENCE_MS } = {},
): Pick<RunningService, 'ended'> {
  let since: number | undefined
  const ended = new Promise<never>((_resolve, reject) => {
    const look = () => {
      const problems = health.problems()
      if (problems.length === 0) {
        since = undefined
        return
      }
      if (since === undefined) log.error({ problems }, 'The process cannot recover by itself')
      since ??= performance.now()
      if (performance.now() - since < patienceMs) return
      reject(new Error(`The process ends, because it cannot recover by itself: ${problems.join('; ')}`))
    }
    setInterval(look, lookMs).unref()
  })
  return { ended }
}
