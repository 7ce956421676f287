import { dismissMessages } from '../messages/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { inTransaction } from '../platform/db/sql.ts'
import { type EmailDetail, getEmail } from './get-email.ts'
import { EMAIL_NOT_CANCELLABLE } from './errors.ts'
import { markCancelled } from './queries.ts'

const CANCELLED = 'Cancelled before it was sent'

/**
 * Cancels a transactional email that was not sent yet. After the response, it is not sent. Idempotent.
 * @throws {ApiError} `email_not_found`; `email_not_cancellable`
 */
export function cancelEmail({ em }: Pick<Dependencies, 'em'>, workspaceId: string, id: string): Promise<EmailDetail> {
  return inTransaction(em, async (unit) => {
    await getEmail(unit, workspaceId, id)
    if ((await dismissMessages(unit, { ids: [id] }, CANCELLED)) > 0) await markCancelled(unit, id)
    // Another request may have cancelled it.
    const detail = await getEmail(unit, workspaceId, id)
    if (!detail.email.cancelledAt)
      throw new ApiError(EMAIL_NOT_CANCELLABLE, {
        message: `The email is ${detail.message.status}. Only an email that is QUEUED or DEFERRED can be cancelled`,
      })
    return detail
  })
}
