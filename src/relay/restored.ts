import { activePage } from '../enrollments/index.ts'
import { isGivingUp, readRestoredAt, sayGivenUp, sayReconciled, sayRestored } from '../installation/index.ts'
import { giveUpAttempts, MAY_HAVE_BEEN_SENT } from '../messages/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'

/**
 * Says that the database was restored: nothing is sent until it is reconciled, and what was being sent, or was to be tried
 * again, is left to people, because it may have been. The first is one row, and holds at once; the second can be half a million.
 */
export async function markRestored(em: EntityManager): Promise<void> {
  await sayRestored(em.fork())
  await finishGivingUp(em)
}

/**
 * Has mail go on without a look at Temporal.
 * @param lostUntil see `sayReconciled`
 * @returns whether there was anything to waive.
 * @throws {Refusal} `invalid` for `lostUntil`
 * @throws {Error} where it was said to be restored in this very moment
 */
export async function waiveReconciliation(em: EntityManager, lostUntil: Date | null | undefined): Promise<boolean> {
  const seen = await seeRestored(em)
  if ((await sayReconciled(em.fork(), seen, lostUntil)).isHeld) throw new Error(RESTORED_MEANWHILE)
  return seen !== null
}

/** Said to who would have mail go on, and has not looked behind the newest restore. */
export const RESTORED_MEANWHILE = 'It was restored once more in the meantime, and sends nothing yet: ask again.'

/**
 * When this installation was restored, as long as it has not been reconciled since; else `null`. What is to be given up then is,
 * also where who said that it was restored has died over it.
 */
export async function seeRestored(em: EntityManager): Promise<Date | null> {
  const seen = await readRestoredAt(em.fork())
  if (seen !== null) await finishGivingUp(em)
  return seen
}

async function finishGivingUp(em: EntityManager): Promise<void> {
  if (!(await isGivingUp(em.fork()))) return
  await giveUpAttempts(em.fork(), MAY_HAVE_BEEN_SENT)
  await sayGivenUp(em.fork())
}

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
