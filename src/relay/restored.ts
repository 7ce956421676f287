import { endEverything } from '../accounts/index.ts'
import { skipRevisions } from '../automations/index.ts'
import { holdWaitingCampaigns } from '../campaigns/index.ts'
import {
  assertLostUntil,
  readLostBefore,
  readLostUntil,
  readRestoredAt,
  sayReconciled,
  sayRestored,
} from '../instance/index.ts'
import { abandonRetries, abandonSending, automationsWithRetries, MAY_HAVE_BEEN_SENT } from '../messages/index.ts'
import { enqueue } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'

/**
 * Says that the database was restored: nothing is sent until it is reconciled, and what was being sent is left to people, because
 * it may have been.
 *
 * @param mayLive whether workers may be at work on this database: what they hand over at this moment they record
 */
export const markRestored = (em: EntityManager, { mayLive }: { mayLive: boolean }): Promise<void> =>
  unitOf(em).transactional(async (unit) => {
    await sayRestored(unit)
    // In the order in which a request takes them: what it changes, and then its session.
    await skipRevisions(unit)
    await endEverything(unit)
    await abandonSending(unit, MAY_HAVE_BEEN_SENT, mayLive)
    await holdWaitingCampaigns(unit)
  })

/** Said to who would have mail go on, and has not looked behind the newest restore. */
export const RESTORED_MEANWHILE = 'It was restored once more in the meantime, and sends nothing yet: ask again.'

/**
 * Has mail go on. What was to be tried again is: but where something may be lost, it is left to people, because it may have been
 * sent.
 *
 * @param seen when the restore was that was looked behind, by `readRestoredAt`; `null`: there was none
 * @param lostUntil see `sayReconciled`
 * @returns whether mail is held back still: it was restored once more in the meantime
 * @throws {Refusal} `invalid` for `lostUntil`
 */
export async function letMailGoOn(
  em: EntityManager,
  seen: Date | null,
  lostUntil: Date | null | undefined,
): Promise<{ isHeld: boolean }> {
  await assertLostUntil(em.fork(), lostUntil)
  // Nothing is sent meanwhile, and nobody may ask for more.
  const lostBefore = await readLostBefore(em.fork())
  // Not where somebody has let it go on meanwhile: what was asked for since is promised.
  const isStill = seen !== null && (await readRestoredAt(em.fork()))?.getTime() === seen.getTime()
  if (isStill && (lostUntil !== null || lostBefore !== null)) {
    // Where nothing was lost since, what somebody has wanted behind the earlier loss is in no doubt.
    await abandonRetries(em.fork(), MAY_HAVE_BEEN_SENT, { until: lostUntil === null ? lostBefore : null })
  }
  return em.fork().transactional(async (unit) => {
    const { isHeld } = await sayReconciled(unit, seen, lostUntil)
    if (isHeld || seen === null) return { isHeld }
    for (const automationId of await automationsWithRetries(unit)) {
      await enqueue(unit, { kind: 'WAKE_RETRIES', automationId })
    }
    return { isHeld }
  })
}

/**
 * Has mail go on without a look at Temporal. @see letMailGoOn
 * @returns whether there was anything to waive, and until when something may be lost all the same, by a restore before that
 * @throws {Error} where it was said to be restored in this very moment
 */
export async function waiveReconciliation(
  em: EntityManager,
  lostUntil: Date | null | undefined,
): Promise<{ waived: boolean; lostUntil: Date | null }> {
  const seen = await readRestoredAt(em.fork())
  if ((await letMailGoOn(em, seen, lostUntil)).isHeld) throw new Error(RESTORED_MEANWHILE)
  return { waived: seen !== null, lostUntil: await readLostUntil(em.fork()) }
}
