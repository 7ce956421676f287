import { ApiError, STILL_SENDING } from '../platform/api-error.ts'
import { confirmedListOf, assertOtherConfirmationAutomation } from './automations.ts'
import { AUTOMATION_NOT_FOUND } from './errors.ts'
import { Automation } from './entities.ts'
import { LockMode } from '@mikro-orm/core'
import { assertUnchanged, type Revisions } from '../platform/revisions.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { countSending, waitForSenders } from '../messages/index.ts'
import { enqueue } from '../outbox/index.ts'
import type { Call } from '../platform/call.ts'
import { isId } from '../platform/ids.ts'

/**
 * Deletes an automation. After the commit, none of its emails can be claimed. Waits for in-flight emails, so none is sent after
 * the response. The relay removes the enrollments, page by page.
 *
 * @throws {ApiError} `not-found`; `automation_confirms_list`; `unavailable` if an email is in flight for seconds. Deleting again
 * waits again, and succeeds when the email has a final status
 */
export async function deleteAutomation(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { audit }: Pick<Call, 'audit'>,
  expected?: Revisions,
): Promise<void> {
  if (!isId(id)) throw new ApiError(AUTOMATION_NOT_FOUND)
  const fork = em.fork()
  const deleted = await fork.transactional(async (transaction) => {
    const automation = await transaction.findOne(
      Automation,
      { id, workspaceId },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    )
    if (!automation) return false
    assertUnchanged(expected, automation.revision)
    await assertOtherConfirmationAutomation(transaction, automation, confirmedListOf(automation))
    automation.deletedAt = new Date()
    await transaction.flush()
    await enqueue(transaction, { kind: 'DELETE_AUTOMATION', automationId: id })
    await audit(transaction)
    return true
  })
  const sending = () => countSending(fork, { automationId: id })
  if (!deleted && !((await isBeingDeleted(fork, workspaceId, id)) && (await sending()) > 0)) {
    throw new ApiError(AUTOMATION_NOT_FOUND)
  }
  if (await waitForSenders(sending)) return
  throw new ApiError(STILL_SENDING, {
    message:
      'The automation is deleted and sends no further email, but one is still in flight. ' +
      'Repeat this request to find out when its status is final.',
  })
}

const isBeingDeleted = async (em: EntityManager, workspaceId: string, id: string): Promise<boolean> =>
  (await em.count(Automation, { id, workspaceId }, { filters: { existing: false } })) > 0
