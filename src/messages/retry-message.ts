import { newId } from '../platform/ids.ts'
import { fromOf, messageIdOf } from './compose.ts'
import type { ClaimAs } from './claim-queries.ts'
import type { MessageKey } from './message.ts'
import { recordForSure, untilDone } from './record-for-sure.ts'
import { asUnconfirmedAs, type Content, type Outcome } from './record-queries.ts'
import { claimRetry, draftRetry, dropRetry, isBeingSent, putOffRetry, settleRetry } from './retry-queries.ts'
import { type Attempt, type Patience, Sending, type SendMessageDependencies, type SendResult } from './sending.ts'
import type { OnceMoreDraft } from './unconfirmed-queries.ts'

/** How soon it is looked again what came of another attempt, in milliseconds: its lease is longer. */
const BUSY_RETRY_MS = 5_000

/**
 * Tries a message again because somebody asked for it, under the same Message-ID: at most once for each time that it was asked
 * for. It is claimed when the mail server waits for it, and from then on it is not to be tried again any more. What is certainly
 * not sent is, as long as it takes. While its automation is paused nobody asks again and again: it keeps its mark, and whoever
 * wakes what the automation held has it tried.
 *
 * @returns `gone` where it is not to be tried now
 */
export async function retryMessage(
  dependencies: SendMessageDependencies,
  id: string,
  patience: Patience,
): Promise<SendResult> {
  const draft = await draftRetry(dependencies.em.fork(), id)
  if (draft) return new Sending(dependencies, new RetryAttempt(dependencies, id, draft), draft).send(patience)
  if (await isBeingSent(dependencies.em.fork(), id)) {
    return { kind: 'deferred', reason: 'Another attempt has it', afterMs: BUSY_RETRY_MS }
  }
  await dropRetry(dependencies.em.fork(), id)
  return { kind: 'gone' }
}

/** An attempt at a message that somebody has asked for. */
class RetryAttempt implements Attempt {
  readonly key: MessageKey
  readonly claimId = newId()
  readonly ids: Record<string, string>
  private readonly dependencies: SendMessageDependencies
  private readonly id: string
  private readonly draft: OnceMoreDraft

  constructor(dependencies: SendMessageDependencies, id: string, draft: OnceMoreDraft) {
    this.dependencies = dependencies
    this.id = id
    this.draft = draft
    this.key = draft.key
    const { enrollmentId, stepId } = draft.key
    this.ids =
      draft.automationId === null
        ? { campaignId: enrollmentId, contactId: stepId }
        : { enrollmentId, stepId, automationId: draft.automationId }
  }

  claim(as: ClaimAs): Promise<string | undefined> {
    const { em } = this.dependencies
    if (as.status === 'SENDING') return claimRetry(em.fork(), this.id, this.of())
    const outcome = as.status === 'CAPTURED' ? { status: as.status, response: null } : as
    const content = 'content' in as ? as.content : undefined
    return settleRetry(em.fork(), this.id, this.of(), asUnconfirmedAs(this.draft.before, outcome), content)
  }

  async record(id: string, outcome: Outcome, content: Content): Promise<void> {
    if (outcome.status === 'DEFERRED') return untilDone(() => this.putOff(outcome.error))
    const kept = asUnconfirmedAs(this.draft.before, outcome)
    return recordForSure(this.dependencies, { id, claim: this.claimId }, kept, content)
  }

  putOff(reason: string): Promise<void> {
    const { before, retryAt } = this.draft
    return putOffRetry(this.dependencies.em.fork(), this.id, { ...this.of(), before, retryAt, error: reason })
  }

  private of() {
    const { attempts, contact, consents } = this.draft
    const header = this.draft.header ?? messageIdOf({ mailFrom: fromOf(this.dependencies, this.draft) }, this.key)
    return { claim: this.claimId, attempts, recipient: contact.email, consents, header }
  }
}
