import { sendEmail } from '../src/emails/index.ts'
import type { TransactionalEmailRef, TransactionalEmailResult } from '../src/automation-engine/index.ts'
import type { ActivityDependencies } from './dependencies.ts'
import { sendQueued } from './send-queued.ts'

/** Sends a transactional email if a connection is free within a moment. Returns `queue` if none is, or on any error. */
export async function sendTransactionalEmailAtOnce(
  dependencies: ActivityDependencies,
  { emailId }: TransactionalEmailRef,
): Promise<TransactionalEmailResult | { next: 'queue' }> {
  const result = await sendEmail(dependencies, emailId, 'at-once')
  if (result.kind === 'queue' || result.kind === 'deferred' || result.kind === 'changed') return { next: 'queue' }
  return { status: result.kind === 'final' ? result.status : null }
}

/** Sends a transactional email in its turn. */
export async function sendTransactionalEmail(
  dependencies: ActivityDependencies,
  { emailId }: TransactionalEmailRef,
): Promise<TransactionalEmailResult> {
  const result = await sendQueued((patience) => sendEmail(dependencies, emailId, patience))
  return { status: result.kind === 'final' ? result.status : null }
}
