import { revokeAllSessionsAndInvitations } from '../accounts/index.ts'
import { skipRevisions } from '../automations/index.ts'
import { pauseScheduledCampaigns } from '../campaigns/index.ts'
import { assertLostUntil, closeGate, openGate, readSendingGate } from '../instance/index.ts'
import { abandonRetries, abandonSending, automationsWithRetries, MAY_HAVE_BEEN_SENT_ERROR } from '../messages/index.ts'
import { enqueue } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { restoreWebhookEvents } from '../webhooks/index.ts'
import { newestActivity } from './queries.ts'

/**
 * Disables sending, because the database was restored or is a copy. Messages that were in flight become UNCONFIRMED, because they
 * may have been sent.
 */
export const markRestored = (em: EntityManager): Promise<void> =>
  unitOf(em).transactional(async (unit) => {
    await closeGate(unit, await newestActivity(unit))
    // In the order in which a request locks them: first the automations that it changes, then its session.
    await skipRevisions(unit)
    await revokeAllSessionsAndInvitations(unit)
    await abandonSending(unit, MAY_HAVE_BEEN_SENT_ERROR)
    await pauseScheduledCampaigns(unit)
    await restoreWebhookEvents(unit)
  })

/**
 * Enables sending after a restore, without comparing with Temporal. If messages may be lost, pending retries become UNCONFIRMED,
 * because they may have been sent since the backup. The others are retried.
 *
 * @param lostUntil when the original stopped; `null`: nothing is lost; `undefined`: it may have run until now
 * @returns whether sending was disabled
 * @throws {ApiError} `invalid` if the backup is newer than `lostUntil`
 */
export async function enableSending(em: EntityManager, lostUntil: Date | null | undefined): Promise<boolean> {
  await assertLostUntil(em.fork(), lostUntil)
  if ((await readSendingGate(em.fork())).isOpen) return false
  // In pages, before the gate opens: nothing is retried until then, and no client can request retries.
  if (lostUntil !== null) await abandonRetries(em.fork(), MAY_HAVE_BEEN_SENT_ERROR)
  return em.fork().transactional(async (unit) => {
    if (!(await openGate(unit, lostUntil))) return false
    for (const automationId of await automationsWithRetries(unit))
      await enqueue(unit, { kind: 'WAKE_RETRIES', automationId })
    return true
  })
}
