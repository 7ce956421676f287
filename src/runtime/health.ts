import type { Log } from '../outbox/index.ts'
import type { RunningService } from './running-service.ts'

/**
 * Returns why a service has failed for good, or `undefined`. Outages of Postgres, Temporal or the mail server do not count:
 * ending the process would not help.
 */
type HealthCheck = () => string | undefined

/** The state of the process, which shows whether it can still do its work: `/healthz`. */
export interface Health {
  watch(vital: HealthCheck): void
  /** Problems that it cannot recover from; empty if there are none. */
  problems(): string[]
}

export function createHealth(): Health {
  const vitals: HealthCheck[] = []
  return {
    watch: (vital) => void vitals.push(vital),
    problems: () => vitals.flatMap((vital) => vital() ?? []),
  }
}

/** Milliseconds between two checks, and the time that a failed process keeps running. */
const CHECK_INTERVAL_MS = 5_000
const PATIENCE_MS = 60_000

/**
 * Ends a process that has failed for good for a while, so that its supervisor starts another one: Docker restarts ended
 * containers, but not unhealthy ones. A liveness probe may be faster.
 */
export function exitWhenUnhealthy(
  health: Health,
  log: Log,
  { lookMs = CHECK_INTERVAL_MS, patienceMs = PATIENCE_MS } = {},
): Pick<RunningService, 'ended'> {
  let since: number | undefined
  const ended = new Promise<never>((_resolve, reject) => {
    const look = () => {
      const problems = health.problems()
      if (problems.length === 0) {
        since = undefined
        return
      }
      if (since === undefined) log.error({ problems }, 'The process cannot recover')
      since ??= performance.now()
      if (performance.now() - since < patienceMs) return
      reject(new Error(`The process ends because it cannot recover: ${problems.join('; ')}`))
    }
    setInterval(look, lookMs).unref()
  })
  return { ended }
}
