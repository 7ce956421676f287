import { readBounceDomain, setBounceDomain } from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'

/** The error of a process that should receive bounces if no process has set their domain. */
const NO_BOUNCE_DOMAIN =
  'BOUNCE_PORT is set, but the bounce domain is unknown. ' +
  'Set BOUNCE_DOMAIN, such as BOUNCE_DOMAIN=bounces.example.com; this instance remembers it.'

/**
 * Agrees with the other processes of the instance on the domain that bounces are sent to. A process with BOUNCE_DOMAIN sets it
 * for all, as with the sender. @returns `null` if no process has set it. In that case, bounces go to the sender's address, and
 * Dripline does not read them @throws {Error} that names the variable to set, if this process should read bounces
 */
export async function settleBounceDomain(
  em: EntityManager,
  { bounceDomain, reads }: { bounceDomain: string | undefined; reads: boolean },
): Promise<string | null> {
  const unit = em.fork()
  const before = await readBounceDomain(unit)
  if (bounceDomain === undefined) {
    if (before === null && reads) throw new Error(NO_BOUNCE_DOMAIN)
    return before
  }
  if (before !== bounceDomain) await setBounceDomain(unit, bounceDomain)
  return bounceDomain
}
