import { dismissMessages } from '../messages/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { type Call, whenDurable } from '../platform/call.ts'
import { inTransaction } from '../platform/db/sql.ts'
import { type EmailDetail, getEmail } from './get-email.ts'
import { EMAIL_NOT_CANCELLABLE } from './errors.ts'
import { markCancelled } from './queries.ts'

const CANCELLED = 'Cancelled before it was sent'

/**
 * Cancels a transactional email that was not sent yet. After the response, it is not sent. Idempotent.
 * @throws {ApiError} `email_not_found`; `email_not_cancellable`
 */
export async function cancelEmail(
  dependencies: Dependencies,
  workspaceId: string,
  id: string,
  call: Call,
): Promise<EmailDetail> {
  const { em, enrollments, log } = dependencies
  const detail = await inTransaction(em, async (unit) => {
    const found = await getEmail(unit, workspaceId, id)
    if (found.email.cancelledAt) return found
    if ((await dismissMessages(unit, { ids: [id] }, CANCELLED)) === 0) {
      const { status } = (await getEmail(unit, workspaceId, id)).message
      throw new ApiError(EMAIL_NOT_CANCELLABLE, {
        message: `The email is ${status}. Only an email that is QUEUED or DEFERRED can be cancelled`,
      })
    }
    await markCancelled(unit, id)
    return getEmail(unit, workspaceId, id)
  })
  // If this fails, the workflow finds nothing to send at its time.
  await whenDurable(dependencies, call, () =>
    enrollments.cancelEmail(id).catch((error: unknown) => {
      log.warn({ error, emailId: id }, 'The workflow of a cancelled email was not cancelled; it will send nothing')
    }),
  )
  return detail
}
