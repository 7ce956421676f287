import { preparedFrom, readRecipient, withGroups } from './prepare.ts'
import type { Prepared } from './prepared.ts'
import { findMessage, hasSource, readSendSettings, type StoredMessage } from './read-queries.ts'
import { type WaitLimit, Sending, type SendDependencies, type SendResult } from './send.ts'
import { dropRetry } from './retry-queries.ts'
import { type Intent, isRetryable } from './transitions.ts'

/** Milliseconds until the next check whether another attempt, whose lease is longer, has ended. */
const BUSY_RETRY_MS = 5_000

/**
 * Retries a message as requested, under the same Message-ID, at most once per request. While its automation or campaign is
 * paused, or sending is disabled, the retry stays pending; resuming continues it.
 *
 * @returns `gone` if it must not be retried now
 */
export async function retryMessage(
  dependencies: SendDependencies,
  id: string,
  patience: WaitLimit,
): Promise<SendResult> {
  const em = dependencies.em.fork()
  const stored = await findMessage(em, id)
  if (stored?.status === 'SENDING' && stored.leaseUntil && stored.leaseUntil.getTime() > Date.now())
    return { kind: 'deferred', reason: 'Another attempt is in progress', afterMs: BUSY_RETRY_MS }
  if (stored?.retryAt == null) return { kind: 'gone' }
  const message = isRetryable(stored.status) ? await prepareStored(dependencies, stored, 'retry') : undefined
  if (message) return new Sending(dependencies, message).send(patience)
  if (!isRetryable(stored.status) || !(await hasSource(em, id))) await dropRetry(em, id)
  return { kind: 'gone' }
}

/**
 * Prepares a message that already has a row.
 * @returns `undefined` if it may not be sent (see `MessageSource.load`), sending is disabled, or the contact is deleted
 */
export async function prepareStored(
  { em, store }: Pick<SendDependencies, 'em' | 'store'>,
  stored: StoredMessage,
  intent: Intent,
): Promise<Prepared | undefined> {
  // Read the recipient first: the claim compares the consent version, which protects only what is read after it.
  const source = store.source(stored)
  const recipient = await (source.readRecipient?.(em.fork(), stored) ?? readRecipient(em.fork(), stored))
  const [context, settings] = await Promise.all([
    source.load(em.fork(), stored, intent),
    readSendSettings(em.fork(), stored.workspaceId),
  ])
  if (!context || !settings || !settings.isOpen || !recipient) return undefined
  const message = preparedFrom({ ref: stored.ref, intent }, stored, context, recipient, settings)
  return (await withGroups(em.fork(), stored.workspaceId, [message]))[0]
}
