import { sleep } from '@temporalio/workflow'
import type { TransactionalEmailInput, TransactionalEmailResult } from '../src/automation-engine/index.ts'
import { sendTransactionalEmail } from './activities.ts'

/**
 * Sends one transactional email, immediately or at its time. The database decides whether it may still be sent, and ensures that
 * it is sent once.
 */
export async function transactionalEmail({
  sendAt,
  ...email
}: TransactionalEmailInput): Promise<TransactionalEmailResult> {
  const rest = sendAt - Date.now()
  if (rest > 0) await sleep(rest)
  return sendTransactionalEmail(email)
}
