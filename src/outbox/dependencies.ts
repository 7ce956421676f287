import { LRUCache } from 'lru-cache'
import type { Delivery } from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Bulkhead } from '../platform/bulkhead.ts'
import type { Enrollments } from '../temporal/index.ts'

/** Dependencies of services, provided by a composition root. */
export interface Dependencies {
  /** Keeps automations from using up each other's connections: see `enrollContact`. */
  recording: Bulkhead
  /**
   * Delivers within the request, up to the limit of its workspace. The deliveries are already stored, so the request succeeds:
   * the relay delivers the rest and retries failures.
   */
  deliverAtOnce(dependencies: Dependencies, deliveries: readonly Delivery[]): Promise<void>
  /** Workspaces whose requests recently left deliveries to the relay. */
  crowded: LRUCache<string, true>
  em: EntityManager
  enrollments: Enrollments
  log: Log
  metrics: Metrics
}

/** The logger methods that services use. Objects contain IDs, but no addresses, names, data or keys. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Metrics that services report. */
export interface Metrics {
  /** @param request.route the route's pattern, `null` if there is none: paths contain IDs */
  answered(request: { method: string; route: string | null; status: number; seconds: number }): void
  /** An attempt to send an email ended with this status. */
  settled(status: string): void
  /** The circuit to the mail server has opened or closed. */
  mailCircuitOpen(open: boolean): void
  /** An enrollment that was ACTIVE in the database had no workflow: it was resumed or ended. */
  reconciled(outcome: 'resumed' | 'ended'): void
}

export const noMetrics: Metrics = {
  answered: () => undefined,
  settled: () => undefined,
  mailCircuitOpen: () => undefined,
  reconciled: () => undefined,
}

/** Maximum number of remembered workspaces, and how many milliseconds each is remembered. */
const CROWDED = { most: 10_000, forMs: 10 * 60_000 }

/**
 * Remembers the workspaces that left deliveries to the relay. Counting pending deliveries is only worthwhile for those. Each
 * process keeps its own record.
 */
export const createQueueLimit = () => new LRUCache<string, true>({ max: CROWDED.most, ttl: CROWDED.forMs })
