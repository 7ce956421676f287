import type { Client } from '@temporalio/client'
import type { Orm } from '../platform/db/orm.ts'
import { ping } from '../platform/db/sql.ts'
import { within } from '../platform/bulkhead.ts'

interface Servers {
  orm: Orm
  temporal: Client
}

/** The time within which Postgres and Temporal must respond, in milliseconds. */
const TIMEOUT_MS = 3_000
/** The time for which a result is reused, in milliseconds: the endpoint is public and can be called often. */
const CACHE_MS = 500

/** Checks whether Postgres and Temporal can be reached: `/readyz`. Returns the names of those that cannot. */
export const createReadiness = (servers: Servers, keptMs = CACHE_MS): (() => Promise<string[]>) =>
  shareCheck(() => lookForMissing(servers), keptMs)

/** Shares one check among all concurrent callers, and with callers shortly after. */
export function shareCheck<Seen>(probe: () => Promise<Seen>, keptMs: number): () => Promise<Seen> {
  let seen: Promise<Seen> | undefined
  const forget = () => setTimeout(() => (seen = undefined), keptMs).unref()
  return () => (seen ??= probe().finally(forget))
}

async function lookForMissing({ orm, temporal }: Servers): Promise<string[]> {
  const looks: Record<string, () => Promise<unknown>> = {
    Postgres: () => ping(orm.em.fork()),
    Temporal: () =>
      temporal.withDeadline(Date.now() + TIMEOUT_MS, () => temporal.connection.workflowService.getSystemInfo({})),
  }
  const missing = await Promise.all(
    Object.entries(looks).map(async ([name, look]) => {
      try {
        await within(TIMEOUT_MS, look(), () => new Error(`${name} does not respond`))
        return []
      } catch {
        return [name]
      }
    }),
  )
  return missing.flat()
}
