import { readBounceDomain, setBounceDomain } from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'

/** Said where somebody is to read what comes back, and nobody has ever said where to it does. */
const NO_BOUNCE_DOMAIN =
  'BOUNCE_PORT is set, and nobody has said which domain its mail comes to. ' +
  'Set BOUNCE_DOMAIN, such as BOUNCE_DOMAIN=bounces.example.com; this instance remembers it.'

/**
 * Agrees with the other parts of the instance on the domain to which what cannot be delivered goes back: who sets BOUNCE_DOMAIN
 * says it for all, as with the sender.
 *
 * @returns `null` where nobody has: such mail goes to the sender's own address then, and nobody here reads it
 * @throws {Error} that says what to set, where this part is to read it
 */
export async function agreeOnBounceDomain(
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
