import { mayBeLost } from '../instance/index.ts'
import {
  findMessage,
  MAY_HAVE_BEEN_SENT_ERROR,
  prepareStored,
  readSendSettings,
  retryAfterMs,
  type SendDependencies,
  Sending,
  type SendResult,
} from '../messages/index.ts'

/** The result of a send, or `closed` if sending is disabled. */
export type EmailResult = SendResult | { kind: 'closed' }

/**
 * Sends a transactional email that was taken from the queue, at most once: the claim fails if another attempt was made.
 * @param turn aborted when the worker stops
 */
export async function sendEmail(dependencies: SendDependencies, id: string, turn: AbortSignal): Promise<EmailResult> {
  const em = () => dependencies.em.fork()
  const stored = await findMessage(em(), id)
  if (!stored || (stored.status !== 'QUEUED' && stored.status !== 'DEFERRED')) return { kind: 'gone' }
  const settings = await readSendSettings(em(), stored.workspaceId)
  if (!settings) return { kind: 'gone' }
  if (!settings.isOpen) return { kind: 'closed' }
  const message = await prepareStored(dependencies, stored, 'send')
  if (!message) return { kind: 'gone' }
  const sending = new Sending(dependencies, message, retryAfterMs(message.attempts) / 1_000)
  // Not when it is due: an attempt that failed has moved that.
  if (mayBeLost(settings, message.email!.wantedAt)) return sending.abandon(MAY_HAVE_BEEN_SENT_ERROR)
  return sending.send({ turn })
}
