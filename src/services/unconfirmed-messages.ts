import type { EntityManager } from '../db/orm.ts'
import type { Outcome } from '../db/queries/ledger.ts'
import * as unconfirmed from '../db/queries/unconfirmed.ts'
import { invalid, notFound, type Refusal } from '../domain/errors.ts'
import { isId, newId } from '../domain/ids.ts'
import type { MessageStatus } from '../domain/messages.ts'
import { RendererBusy, TemplateError } from '../mail/render-content.ts'
import { NO_SENDER } from './mail-sender.ts'
import { contentOf, isDelivered, outcomeOf, recordForSure, type SendMessageDependencies } from './send-message.ts'

const LISTED = 1_000

/** The messages that wait for an operator's decision, oldest first. */
export const listUnconfirmed = (em: EntityManager): Promise<unconfirmed.UnconfirmedMessage[]> =>
  unconfirmed.listUnconfirmed(em.fork(), LISTED)

/** Leaves a message as it is. @throws {Refusal} `not-found`; `invalid` where there is nothing to decide */
export async function dismissMessage(em: EntityManager, id: string): Promise<void> {
  const unit = em.fork()
  await assertToDecide(unit, id)
  // Between the two, another operator may have decided.
  if (!(await unconfirmed.dismissUnconfirmed(unit, id))) throw notToDecide(id, undefined)
}

/** With what a message is sent once more: MAIL_FROM, or the sender of the installation, if it has any. */
export type ResendDependencies = Omit<SendMessageDependencies, 'mailFrom'> & { mailFrom: string | null }

/** What became of a message, and why, where it was not sent. */
export interface Resent {
  status: MessageStatus
  error: string | null
}

/**
 * Sends a message once more, because an operator says that it did not arrive. The contact may have it twice then, under
 * the same Message-ID; that is the operator's decision and never ours.
 *
 * @returns what became of it: what it was before where it could not be handed over, UNCONFIRMED or DEFERRED.
 * @throws {Refusal} `not-found`; `invalid` where this process can't deliver what the installation delivers, or there is
 *   nothing to decide
 */
export async function resendMessage(dependencies: ResendDependencies, id: string): Promise<Resent> {
  const { smtp, renderer, leases, mailFrom, metrics } = dependencies
  const em = dependencies.em.fork()
  await assertToDecide(em, id)
  if (!smtp) throw invalid('Set SMTP_URL: without it, sending the message again would only capture it')
  if (mailFrom === null) throw invalid(NO_SENDER)
  const claim = newId()
  const sentAt = performance.now()
  const claimed = await unconfirmed.reclaimUnconfirmed(em, id, claim)
  if (!claimed) throw notToDecide(id, undefined)
  const { key, draft, wasDeferred } = claimed
  const message = { id, claim }
  const lease = leases.begin(claim)
  lease.claimed(sentAt)
  // What this try could not send is as unconfirmed as before it, or as certainly not sent.
  const asBefore = (error: string): Outcome => ({ status: wasDeferred ? 'DEFERRED' : 'UNCONFIRMED', error })
  try {
    const rendered = await renderer.render(draft.content, { contact: draft.contact }, { owner: draft.workspaceId })
    const content = contentOf({ mailFrom }, key, draft, rendered)
    if (!isDelivered(draft)) {
      await recordForSure(dependencies, message, { status: 'CAPTURED', response: null }, content)
      return { status: 'CAPTURED', error: null }
    }
    const permit = await smtp.permit(draft.workspaceId, lease.breakOff)
    const delivery = await permit.deliver(
      { ...content, from: mailFrom, to: content.recipient },
      { begin: () => Promise.resolve(lease.holds()), breakOff: lease.breakOff },
    )
    const outcome = outcomeOf(delivery)
    const kept = outcome.status === 'DEFERRED' ? asBefore(outcome.error) : outcome
    await recordForSure(dependencies, message, kept, content)
    metrics.settled(kept.status)
    return told(kept)
  } catch (error) {
    const isBusy = error instanceof RendererBusy
    if (!isBusy && !(error instanceof TemplateError)) throw error
    const kept: Outcome = isBusy
      ? asBefore(error.message)
      : { status: 'FAILED', error: `Template error in ${error.message}` }
    await recordForSure(dependencies, message, kept, undefined)
    return told(kept)
  } finally {
    lease.end()
  }
}

const told = (outcome: Outcome): Resent => ({
  status: outcome.status,
  error: 'error' in outcome ? outcome.error : null,
})

/** Why there is nothing to decide about a message. */
function notToDecide(id: string, status: MessageStatus | undefined): Refusal {
  if (status === 'DISMISSED') return invalid(`The message ${id} is DISMISSED already`)
  if (status === 'DEFERRED') {
    return invalid(
      `The message ${id} is DEFERRED: it has certainly not been sent, and its sequence tries it again by itself`,
    )
  }
  return notFound(`There is no unconfirmed message ${id} of an automation that still exists`)
}

/** @throws {Refusal} where there is nothing to decide about it */
async function assertToDecide(em: EntityManager, id: string): Promise<void> {
  const standing = isId(id) ? await unconfirmed.standingOf(em, id) : undefined
  if (!standing?.isToDecide) throw notToDecide(id, standing?.status)
}
