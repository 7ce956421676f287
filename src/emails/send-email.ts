import { mayBeLost } from '../instance/index.ts'
import {
  expireLease,
  findMessage,
  logOutcome,
  MAY_HAVE_BEEN_SENT_ERROR,
  prepareStored,
  readSendSettings,
  type SendDependencies,
  SENDER_STOPPED_ERROR,
  Sending,
  type SendResult,
  type StoredMessage,
  type WaitLimit,
} from '../messages/index.ts'
import { waits } from '../platform/waits.ts'

/** Sends a transactional email, at most once. After any crash, the next attempt finds the message's row. */
export async function sendEmail(dependencies: SendDependencies, id: string, patience: WaitLimit): Promise<SendResult> {
  const em = () => dependencies.em.fork()
  const stored = await findMessage(em(), id)
  const settings = stored && (await readSendSettings(em(), stored.workspaceId))
  if (!settings) return { kind: 'gone' }
  if (stored.status !== 'QUEUED' && stored.status !== 'DEFERRED') return earlierAttempt(dependencies, stored)
  if (!settings.isOpen) return { kind: 'deferred', reason: 'Sending is disabled', afterMs: waits.sendingDisabled }
  const message = await prepareStored(dependencies, stored, 'send')
  if (!message) return { kind: 'gone' }
  const sending = new Sending(dependencies, message)
  if (stored.dueAt && mayBeLost(settings, stored.dueAt)) return sending.abandon(MAY_HAVE_BEEN_SENT_ERROR)
  return sending.send(patience)
}

/** Returns the result of an attempt that finds the message in flight or final. */
async function earlierAttempt(
  { em, log }: Pick<SendDependencies, 'em' | 'log'>,
  { id, status }: StoredMessage,
): Promise<SendResult> {
  if (status !== 'SENDING') return { kind: 'final', status, error: null, stop: false }
  if (!(await expireLease(em.fork(), id, SENDER_STOPPED_ERROR)))
    return { kind: 'deferred', reason: 'Another attempt is in progress', afterMs: waits.anotherAttempt }
  logOutcome(log, { status: 'UNCONFIRMED', error: SENDER_STOPPED_ERROR }, { messageId: id, emailId: id })
  return { kind: 'final', status: 'UNCONFIRMED', error: SENDER_STOPPED_ERROR, stop: false }
}
