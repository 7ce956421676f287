import type { EntityManager } from '../platform/db/orm.ts'
import { BEGIN_WITHIN_MS } from './wait-for-senders.ts'
import { asUnconfirmedAs, recordOutcome, type Content, type Outcome } from './record-queries.ts'
import * as unconfirmed from './unconfirmed-queries.ts'
import { Message } from './entities.ts'
import { MESSAGE_NOT_FOUND, NOTHING_TO_DECIDE } from './refusals.ts'
import { unitOf } from '../platform/db/sql.ts'
import { invalid, notFound, Refusal } from '../platform/refusal.ts'
import { isId, newId } from '../platform/ids.ts'
import type { MessageStatus } from './message.ts'
import { type RenderedEmail, RendererBusy, TemplateError } from '../rendering/index.ts'
import type { MailTransport } from '../transports/index.ts'
import { NO_SENDER, NOT_RECONCILED, readRestoredAt } from '../instance/index.ts'
import { recordForSure } from './record-for-sure.ts'
import { SUPPRESSED_WORDS } from '../contacts/index.ts'
import { compose, type Outgoing, variablesOf } from './compose.ts'
import { isDelivered, outcomeOf, type SendMessageDependencies } from './sending.ts'

/** How many an operator is shown at a time. */
export const LISTED = 1_000

/** The messages that wait for an operator's decision, oldest first. */
export const listUnconfirmed = (em: EntityManager): Promise<unconfirmed.UnconfirmedMessage[]> =>
  unconfirmed.listUnconfirmed(em.fork(), LISTED)

/** Leaves a message as it is. @throws {Refusal} `not-found`; `invalid` where there is nothing to decide */
export async function dismissMessage(em: EntityManager, id: string): Promise<void> {
  const unit = em.fork()
  await assertToDecide(unit, id)
  // Between the two, another operator may have decided.
  if (!(await unconfirmed.dismissUnconfirmed(unit, id))) throw await whyNotToDecide(unit, id)
}

/** The same for whoever asks by the API. @throws {Refusal} `message_not_found`; `nothing_to_decide` */
export async function dismissOne(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  const unit = unitOf(em)
  if (!isId(id) || (await unit.count(Message, { id, workspaceId })) === 0) throw new Refusal(MESSAGE_NOT_FOUND)
  if (!(await unconfirmed.dismissUnconfirmed(unit, id))) throw new Refusal(NOTHING_TO_DECIDE)
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
 * the same Message-ID; that is the operator's decision and never ours. So is sending it while its automation is PAUSED. It is
 * claimed when the mail server waits for it, as by its sequence: who is killed before has left it as it was.
 *
 * @returns what became of it: what it was before where it could not be handed over, UNCONFIRMED or DEFERRED.
 * @throws {Refusal} `not-found`; `invalid` where this process can't deliver what the installation delivers, or there is
 *   nothing to decide
 */
export async function resendMessage(dependencies: ResendDependencies, id: string): Promise<Resent> {
  const { smtp, renderer, mailFrom } = dependencies
  const em = dependencies.em.fork()
  await assertToDecide(em, id)
  if (!smtp) throw invalid('Set SMTP_URL: without it, sending the message again would only capture it')
  if (mailFrom === null) throw invalid(NO_SENDER)
  if ((await readRestoredAt(em)) !== null) throw invalid(NOT_RECONCILED)
  const draft = await unconfirmed.draftUnconfirmed(em, id)
  if (!draft) throw await whyNotToDecide(em, id)
  if (draft.suppressedBy) throw invalid(`It is not sent: ${SUPPRESSED_WORDS[draft.suppressedBy].toLowerCase()}`)
  const sender = { ...dependencies, mailFrom }
  let rendered: RenderedEmail
  try {
    rendered = await renderer.render(draft.content, variablesOf(sender, draft.key, draft), { owner: draft.workspaceId })
  } catch (error) {
    if (error instanceof RendererBusy) return settle(em, id, { status: 'DEFERRED', error: error.message })
    if (!(error instanceof TemplateError)) throw error
    return settle(em, id, { status: 'FAILED', error: `Template error in ${error.message}` })
  }
  const content = compose(sender, draft.key, draft, rendered)
  // As CAPTURED it would be said not to have been sent before.
  if (!isDelivered(draft))
    throw invalid('Mail is captured at the moment: sending the message again would only capture it')
  return handOver({ ...sender, smtp }, id, draft, content)
}

async function handOver(
  dependencies: SendMessageDependencies & { smtp: MailTransport },
  id: string,
  { workspaceId, consents }: unconfirmed.OnceMoreDraft,
  content: Outgoing,
): Promise<Resent> {
  const { smtp, leases, metrics } = dependencies
  const em = dependencies.em.fork()
  const claim = newId()
  const lease = leases.begin(claim)
  let claiming: Promise<unconfirmed.Reclaimed | undefined> | undefined
  const begin = async () => {
    const sentAt = performance.now()
    claiming = unconfirmed.reclaimUnconfirmed(em, id, claim, addressed(content, consents))
    // What went wrong is told when the server has been told.
    if (!(await claiming.catch(() => undefined))) return false
    lease.claimed(sentAt)
    // Behind that somebody who was answered that nothing begins any more waits for nothing.
    return lease.holds() && performance.now() - sentAt < BEGIN_WITHIN_MS
  }
  try {
    const permit = await smtp.permit(workspaceId, lease.breakOff)
    const delivery = await permit.deliver(
      { ...content, html: content.trackedHtml, to: content.recipient },
      { begin, mayGoOn: () => lease.holds(), breakOff: lease.breakOff },
    )
    const outcome = outcomeOf(delivery)
    if (!claiming) return await settle(em, id, outcome, { content, consents })
    // The hand-over can end while it is being claimed.
    const claimed = await claiming
    if (!claimed) throw await whyNotClaimed(em, id)
    const kept = asBefore(claimed, outcome)
    await recordForSure(dependencies, { id, claim }, kept, content)
    metrics.settled(kept.status)
    return told(kept)
  } finally {
    lease.end()
  }
}

const addressed = (content: Content, consents: number) => ({
  recipient: content.recipient,
  consents,
  header: content.messageId,
})

const NOWHERE = { recipient: null, consents: null, header: null }

/** Records, all at once, what nothing was handed over for. */
const settle = (
  em: EntityManager,
  id: string,
  outcome: Outcome,
  to?: { content: Content; consents: number },
): Promise<Resent> =>
  em.transactional(async (unit) => {
    const claim = newId()
    const claimed = await unconfirmed.reclaimUnconfirmed(
      unit,
      id,
      claim,
      to ? addressed(to.content, to.consents) : NOWHERE,
    )
    if (!claimed) throw await whyNotClaimed(unit, id)
    const kept = asBefore(claimed, outcome)
    await recordOutcome(unit, { id, claim }, kept, to?.content)
    return told(kept)
  })

/** What this try could not send is as unconfirmed as before it, or as certainly not sent; and to be tried again, if it was. */
function asBefore({ wasDeferred, retryAt }: unconfirmed.Reclaimed, outcome: Outcome): Outcome {
  if (wasDeferred) return outcome
  return outcome.status === 'DEFERRED'
    ? { status: 'UNCONFIRMED', error: outcome.error, retryAt }
    : asUnconfirmedAs('UNCONFIRMED', outcome)
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

const standingOf = async (em: EntityManager, id: string) => (isId(id) ? unconfirmed.standingOf(em, id) : undefined)

const whyNotToDecide = async (em: EntityManager, id: string): Promise<Refusal> => {
  const standing = await standingOf(em, id)
  return notToDecide(id, standing?.isToDecide ? undefined : standing?.status)
}

/** Why it could not be claimed: until the mail server waits for it, minutes may pass. */
const whyNotClaimed = async (em: EntityManager, id: string): Promise<Refusal> =>
  (await readRestoredAt(em)) === null ? whyNotToDecide(em, id) : invalid(NOT_RECONCILED)

/** @throws {Refusal} where there is nothing to decide about it */
async function assertToDecide(em: EntityManager, id: string): Promise<void> {
  const standing = await standingOf(em, id)
  if (!standing?.isToDecide) throw notToDecide(id, standing?.status)
}
