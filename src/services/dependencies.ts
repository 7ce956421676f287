import type { EntityManager } from '../db/orm.ts'
import type { MessageStatus } from '../domain/messages.ts'
import type { Bulkhead } from './bulkhead.ts'
import type { Places } from './places.ts'
import type { Enrollments } from '../temporal/enrollments.ts'

/** What services work with; a composition root gives it to them. */
export interface Dependencies {
  /** Keeps automations apart: see `enrollContact`. */
  recording: Bulkhead
  /** Keeps workspaces apart that have something delivered to Temporal in a request: see `deliverAtOnce`. */
  delivering: Places
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
  settled(status: MessageStatus): void
  /** The circuit to the mail server has opened, or is closed again. */
  mailCircuitOpen(open: boolean): void
}

export const noMetrics: Metrics = {
  answered: () => undefined,
  settled: () => undefined,
  mailCircuitOpen: () => undefined,
}
