import type { EntityManager } from '../db/orm.ts'
import type { Outcome } from '../db/queries/ledger.ts'
import * as unconfirmed from '../db/queries/unconfirmed.ts'
import { invalid, notFound, type Refusal } from '../domain/errors.ts'
import { isId, newId } from '../domain/ids.ts'
import type { MessageStatus } from '../domain/messages.ts'
import { RendererBusy, TemplateError } from '../mail/render-content.ts'
import { contentOf, isDelivered, outcomeOf, recordForSure, type SendMessageDependencies } from './send-message.ts'

const LISTED = 1_000

/** The messages that wait for an operator's decision, oldest first. */
export const listUnconfirmed = (em: EntityManager): Promise<unconfirmed.UnconfirmedMessage[]> =>
  unconfirmed.listUnconfirmed(em.fork(), LISTED)

/** Leaves a message as it is. @throws {Refusal} `not-found`; `invalid` where it is tried again by itself */
export async function dismissMessage(em: EntityManager, id: string): Promise<void> {
  const unit = em.fork()
  if (!isId(id) || !(await unconfirmed.dismissUnconfirmed(unit, id))) throw await notToDecide(unit, id)
}

/**
 * Sends a message once more, because an operator says that it did not arrive. The contact may have it twice then, under
 * the same Message-ID; that is the operator's decision and never ours.
 *
 * @returns what became of it: what it was before where it could not be handed over, UNCONFIRMED or DEFERRED.
 * @throws {Refusal} `not-found`; `invalid` where this process can't deliver what the installation delivers, or the message
 *   is tried again by itself
 */
export async function resendMessage(dependencies: SendMessageDependencies, id: string): Promise<MessageStatus> {
  const { smtp, renderer, leases, mailFrom, metrics } = dependencies
  const em = dependencies.em.fork()
  if (!isId(id)) throw await notToDecide(em, id)
  if (!smtp) throw invalid('Set SMTP_URL: without it, sending the message again would only capture it')
  const claim = newId()
  const sentAt = performance.now()
  const claimed = await unconfirmed.reclaimUnconfirmed(em, id, claim)
  if (!claimed) throw await notToDecide(em, id)
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
      return 'CAPTURED'
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
    return kept.status
  } catch (error) {
    const isBusy = error instanceof RendererBusy
    if (!isBusy && !(error instanceof TemplateError)) throw error
    const kept: Outcome = isBusy
      ? asBefore(error.message)
      : { status: 'FAILED', error: `Template error in ${error.message}` }
    await recordForSure(dependencies, message, kept, undefined)
    return kept.status
  } finally {
    lease.end()
  }
}

/** Why there is nothing to decide about a message. */
const notToDecide = async (em: EntityManager, id: string): Promise<Refusal> =>
  isId(id) && (await unconfirmed.isTriedAgain(em, id))
    ? invalid(
        `The message ${id} is DEFERRED: it has certainly not been sent, and its sequence tries it again by itself`,
      )
    : notFound(`There is no unconfirmed message ${id} of an automation that still exists`)
