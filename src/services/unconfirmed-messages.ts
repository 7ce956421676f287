import type { EntityManager } from '../db/orm.ts'
import * as unconfirmed from '../db/queries/unconfirmed.ts'
import { invalid, notFound } from '../domain/errors.ts'
import { isId, newId } from '../domain/ids.ts'
import type { MessageStatus } from '../domain/messages.ts'
import { TemplateError } from '../mail/render-content.ts'
import { contentOf, isDelivered, outcomeOf, recordForSure, type SendMessageDependencies } from './send-message.ts'

const LISTED = 1_000

/** The messages that wait for an operator's decision, oldest first. */
export const listUnconfirmed = (em: EntityManager): Promise<unconfirmed.UnconfirmedMessage[]> =>
  unconfirmed.listUnconfirmed(em.fork(), LISTED)

/** Leaves a message as it is. @throws {Refusal} `not-found` */
export async function dismissMessage(em: EntityManager, id: string): Promise<void> {
  if (!isId(id) || !(await unconfirmed.dismissUnconfirmed(em.fork(), id))) throw noSuchMessage(id)
}

/**
 * Sends a message once more, because an operator says that it did not arrive. The contact may have it twice then, under
 * the same Message-ID; that is the operator's decision and never ours.
 *
 * @returns what became of it: UNCONFIRMED again where it could not be handed over.
 * @throws {Refusal} `not-found`; `invalid` where this process can't deliver what the installation delivers
 */
export async function resendMessage(dependencies: SendMessageDependencies, id: string): Promise<MessageStatus> {
  const { smtp, renderer, leases, mailFrom, metrics } = dependencies
  const em = dependencies.em.fork()
  if (!smtp) throw invalid('Set SMTP_URL: without it, sending the message again would only capture it')
  const claim = newId()
  const sentAt = performance.now()
  const claimed = isId(id) ? await unconfirmed.reclaimUnconfirmed(em, id, claim) : undefined
  if (!claimed) throw noSuchMessage(id)
  const { key, draft } = claimed
  const message = { id, claim }
  const lease = leases.begin(claim)
  lease.claimed(sentAt)
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
    // What a second try could not send is as unconfirmed as before it.
    const kept = outcome.status === 'DEFERRED' ? { ...outcome, status: 'UNCONFIRMED' as const } : outcome
    await recordForSure(dependencies, message, kept, content)
    metrics.settled(kept.status)
    return kept.status
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const failed = { status: 'FAILED', error: `Template error in ${error.message}` } as const
    await recordForSure(dependencies, message, failed, undefined)
    return failed.status
  } finally {
    lease.end()
  }
}

const noSuchMessage = (id: string) =>
  notFound(`There is no unconfirmed message ${id} of an automation that still exists`)
