import type { EntityManager } from '../db/orm.ts'
import type { Enrollments } from '../temporal/enrollments.ts'

/** What services work with; a composition root gives it to them. */
export interface Dependencies {
  em: EntityManager
  enrollments: Enrollments
  log: Log
}

/** The part of a logger that services use. Objects carry ids, never addresses, names, data or keys. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
