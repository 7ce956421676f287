import { Refusal, STILL_SENDING } from '../platform/refusal.ts'
import { AUTOMATION_NOT_FOUND } from './refusals.ts'
import { Automation } from './entities.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { countSendingOf, waitForSenders } from '../messages/index.ts'
import { enqueue } from '../outbox/index.ts'
import { isId } from '../platform/ids.ts'

/**
 * Deletes an automation for good. From the commit on no email of it can be claimed; those being handed over at that
 * moment are waited for, so that none is sent after the answer. The enrollments are taken down by the relay, in pages.
 *
 * @throws {Refusal} `not-found`; `unavailable` when an email has been on its way for seconds. Deleting again then waits
 *   again, and succeeds once it is settled.
 */
export async function deleteAutomation(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  if (!isId(id)) throw new Refusal(AUTOMATION_NOT_FOUND)
  const fork = em.fork()
  const deleted = await fork.transactional(async (transaction) => {
    const count = await transaction.nativeUpdate(
      Automation,
      { id, workspaceId, deletedAt: null },
      { deletedAt: new Date() },
    )
    if (count > 0) await enqueue(transaction, { kind: 'TEAR_DOWN', automationId: id })
    return count > 0
  })
  const sending = () => countSendingOf(fork, id)
  if (!deleted && !((await isBeingDeleted(fork, workspaceId, id)) && (await sending()) > 0)) {
    throw new Refusal(AUTOMATION_NOT_FOUND)
  }
  if (await waitForSenders(sending)) return
  throw new Refusal(STILL_SENDING, {
    message:
      'The automation is deleted and starts no further email, but one is still being handed to the mail server. ' +
      'Send this request again to learn when it is settled.',
  })
}

const isBeingDeleted = async (em: EntityManager, workspaceId: string, id: string): Promise<boolean> =>
  (await em.count(Automation, { id, workspaceId }, { filters: { existing: false } })) > 0
