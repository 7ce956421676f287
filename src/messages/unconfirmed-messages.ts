import { SUPPRESSED_ERRORS } from '../contacts/index.ts'
import { isDelivered, NO_SENDER, readSendingGate, SENDING_DISABLED } from '../instance/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { isId } from '../platform/ids.ts'
import { invalid, notFound, ApiError } from '../platform/api-error.ts'
import { Message } from './entities.ts'
import { SENDER_STOPPED_ERROR } from './leases.ts'
import type { MessageStatus } from './message.ts'
import { findDecision, findMessage, type UndecidedMessage, undecidedMessages } from './read-queries.ts'
import { MESSAGE_NOT_FOUND, MESSAGE_NOT_UNCONFIRMED } from './errors.ts'
import { prepareStored } from './deliver-retry.ts'
import { Sending, type SendDependencies, type SendResult } from './send.ts'
import { expireLease } from './lease-queries.ts'
import { dismissDecided } from './queue-queries.ts'
import { statusAfter } from './transitions.ts'

/** Maximum number of messages listed. */
export const MAX_LISTED_MESSAGES = 1_000

/** Lists the messages that need an operator's decision, oldest first. */
export const listUnconfirmed = (em: EntityManager): Promise<UndecidedMessage[]> =>
  undecidedMessages(em.fork(), MAX_LISTED_MESSAGES)

/**
 * Dismisses a message.
 * @returns the ID of its workspace
 * @throws {ApiError} `not-found`; `invalid` if it needs no decision
 */
export async function dismissMessage(em: EntityManager, id: string): Promise<string> {
  const unit = unitOf(em)
  const { status } = await assertNeedsDecision(unit, id)
  // Another operator may have decided in the meantime.
  if (!(await dismissDecided(unit, id, status))) throw await whyNoDecision(unit, id)
  return (await unit.findOneOrFail(Message, { id })).workspaceId
}

/** Dismisses a message of a workspace. @throws {ApiError} `message_not_found`; `message_not_unconfirmed` */
export async function dismissOne(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  const unit = unitOf(em)
  if (!isId(id) || (await unit.count(Message, { id, workspaceId })) === 0) throw new ApiError(MESSAGE_NOT_FOUND)
  const decision = await findDecision(unit, id)
  if (!decision?.needsDecision || !(await dismissDecided(unit, id, decision.status)))
    throw new ApiError(MESSAGE_NOT_UNCONFIRMED)
}

/** `mailFrom` is MAIL_FROM, or the sender of the instance, if it has one. */
export type ResendDependencies = Omit<SendDependencies, 'mailFrom'> & { mailFrom: string | null }

/** Result of a resend, with the reason if the message was not sent. */
export interface ResendResult {
  status: MessageStatus
  error: string | null
}

/** Maximum number of times that a resend waits for a free connection or renderer, a few seconds each. */
const MAX_WAITS = 100

/**
 * Sends a message again because an operator says that it did not arrive, even if its automation is paused. The contact may get it
 * twice, under the same Message-ID. Dripline never decides this itself.
 *
 * @returns the outcome: the former status, UNCONFIRMED or DEFERRED, if it could not be sent yet
 * @throws {ApiError} `not-found`; `invalid` if this process cannot deliver mail like the instance does, or the message needs no
 *   decision
 */
export async function resendMessage(dependencies: ResendDependencies, id: string): Promise<ResendResult> {
  const { smtp, mailFrom } = dependencies
  const em = dependencies.em.fork()
  await assertNeedsDecision(em, id)
  if (!smtp) throw invalid('Set SMTP_URL. Without it, sending the message again would only capture it')
  if (mailFrom === null) throw invalid(NO_SENDER)
  if (!(await readSendingGate(em)).isOpen) throw invalid(SENDING_DISABLED)
  await expireLease(em, id, SENDER_STOPPED_ERROR)
  const stored = await findMessage(em, id)
  const message = stored && (await prepareStored(dependencies, stored, 'resend'))
  if (!message) throw await whyNoDecision(em, id)
  if (message.suppressedBy)
    throw invalid(`The message must not be sent: ${SUPPRESSED_ERRORS[message.suppressedBy].toLowerCase()}`)
  if (!isDelivered(message))
    throw invalid('Mail is currently captured, so sending the message again would only capture it')
  const sending = new Sending({ ...dependencies, mailFrom }, message)
  const turn = new AbortController().signal
  let result: SendResult = { kind: 'queue' }
  for (let wait = 0; result.kind === 'queue' && wait < MAX_WAITS; wait += 1) result = await sending.send({ turn })
  if (result.kind === 'final') return { status: result.status, error: result.error }
  if (result.kind !== 'deferred') throw await whyNotClaimed(em, id)
  const status = statusAfter({ before: message.before ?? 'QUEUED', intent: 'resend' }, 'DEFERRED')
  return { status, error: result.reason }
}

/** Creates the error for a message that needs no decision. */
function nothingToDecide(id: string, status: MessageStatus | undefined): ApiError {
  if (status === 'DISMISSED') return invalid(`The message ${id} is already DISMISSED`)
  if (status === 'DEFERRED') {
    return invalid(
      `The message ${id} is DEFERRED: it was certainly not sent, and its automation tries it again automatically`,
    )
  }
  return notFound(`There is no unconfirmed message ${id} of an automation that still exists`)
}

const decisionOf = async (em: EntityManager, id: string) => (isId(id) ? findDecision(em, id) : undefined)

const whyNoDecision = async (em: EntityManager, id: string): Promise<ApiError> => {
  const decision = await decisionOf(em, id)
  return nothingToDecide(id, decision?.needsDecision ? undefined : decision?.status)
}

/** Explains why the message could not be claimed. Minutes may pass until the mail server waits for the content. */
const whyNotClaimed = async (em: EntityManager, id: string): Promise<ApiError> =>
  (await readSendingGate(em)).isOpen ? whyNoDecision(em, id) : invalid(SENDING_DISABLED)

/** @throws {ApiError} if the message needs no decision */
async function assertNeedsDecision(em: EntityManager, id: string): Promise<{ status: MessageStatus }> {
  const decision = await decisionOf(em, id)
  if (!decision?.needsDecision) throw nothingToDecide(id, decision?.status)
  return decision
}
