import { LRUCache } from 'lru-cache'
import type { Delivery } from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Bulkhead } from '../platform/bulkhead.ts'
import type { Enrollments } from '../temporal/index.ts'

/** What services work with; a composition root gives it to them. */
export interface Dependencies {
  /** Keeps automations apart: see `enrollContact`. */
  recording: Bulkhead
  /**
   * Delivers in the request that made it due, as much as its workspace may at a time. It is durable already: whatever goes
   * wrong, and the rest, the relay delivers, and the request succeeds.
   */
  deliverAtOnce(dependencies: Dependencies, deliveries: readonly Delivery[]): Promise<void>
  /** The workspaces whose requests were due more of late than they could deliver themselves. */
  crowded: LRUCache<string, true>
  em: EntityManager
  enrollments: Enrollments
  log: Log
  metrics: Metrics
}

/** The part of a logger that services use. Objects carry ids, never addresses, names, data or keys. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** What is counted of the work, where somebody wants to know. */
export interface Metrics {
  /** @param request.route the route's pattern, `null` where there is none: paths hold ids. */
  answered(request: { method: string; route: string | null; status: number; seconds: number }): void
  /** An attempt to send an email ended with this status. */
  settled(status: string): void
  /** The circuit to the mail server has opened, or is closed again. */
  mailCircuitOpen(open: boolean): void
  /** An enrollment that the ledger had as ACTIVE had no workflow: it goes on where it was, or was ended. */
  reconciled(outcome: 'resumed' | 'ended'): void
}

export const noMetrics: Metrics = {
  answered: () => undefined,
  settled: () => undefined,
  mailCircuitOpen: () => undefined,
  reconciled: () => undefined,
}

/** How many workspaces are remembered that have left something to the relay, and for how long, in milliseconds. */
const CROWDED = { most: 10_000, forMs: 10 * 60_000 }

/**
 * Remembers which workspaces have left deliveries to the relay: only of those it is worth a question how many wait. Each process
 * learns it by itself.
 */
export const createQueueLimit = () => new LRUCache<string, true>({ max: CROWDED.most, ttl: CROWDED.forMs })
