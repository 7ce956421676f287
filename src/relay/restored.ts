import { activePage } from '../enrollments/index.ts'
import { sayRestored } from '../installation/index.ts'
import { giveUpAttempts, MAY_HAVE_BEEN_SENT } from '../messages/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'

/**
 * Says that the database was restored: nothing is sent until it is reconciled, and what was being sent, or was to be tried
 * again, is left to people, because it may have been.
 */
export const markRestored = (em: EntityManager): Promise<void> =>
  em.fork().transactional(async (unit) => {
    await sayRestored(unit)
    await giveUpAttempts(unit, MAY_HAVE_BEEN_SENT)
  })

/** So many are asked for: that none of them has a workflow is no chance. */
const ASKED = 20

/**
 * Whether Temporal knows any of those who have been enrolled for some minutes. Where it knows none, it is not the one that they were
 * enrolled in, or has lost everything.
 */
export async function isKnown({ em, enrollments }: Dependencies): Promise<boolean> {
  const some = await activePage(em.fork(), null, ASKED)
  const last = await Promise.all(
    some.map(({ automationId, contactId }) => enrollments.lastWorkflow(automationId, contactId)),
  )
  return some.length === 0 || last.some((workflow) => workflow !== undefined)
}
