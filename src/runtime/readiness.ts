import type { Client } from '@temporalio/client'
import type { Orm } from '../platform/db/orm.ts'
import { ping } from '../platform/db/sql.ts'
import { within } from '../platform/bulkhead.ts'

interface Servers {
  orm: Orm
  temporal: Client
}

/** How long Postgres and Temporal have for an answer, in milliseconds. */
const PATIENCE_MS = 3_000
/** How long an answer is good for others who ask, in milliseconds: anybody may ask, and as often as they like. */
const KEPT_MS = 500

/** Tells which of Postgres and Temporal cannot be reached: `/readyz`. */
export const createReadiness = (servers: Servers, keptMs = KEPT_MS): (() => Promise<string[]>) =>
  shared(() => lookForMissing(servers), keptMs)

/** Whoever asks while it is being looked, or shortly after, gets the same answer. */
export function shared<Seen>(look: () => Promise<Seen>, keptMs: number): () => Promise<Seen> {
  let seen: Promise<Seen> | undefined
  const forget = () => setTimeout(() => (seen = undefined), keptMs).unref()
  return () => (seen ??= look().finally(forget))
}

async function lookForMissing({ orm, temporal }: Servers): Promise<string[]> {
  const looks: Record<string, () => Promise<unknown>> = {
    Postgres: () => ping(orm.em.fork()),
    Temporal: () =>
      temporal.withDeadline(Date.now() + PATIENCE_MS, () => temporal.connection.workflowService.getSystemInfo({})),
  }
  const missing = await Promise.all(
    Object.entries(looks).map(async ([name, look]) => {
      try {
        await within(PATIENCE_MS, look(), () => new Error(`${name} does not answer`))
        return []
      } catch {
        return [name]
      }
    }),
  )
  return missing.flat()
}
