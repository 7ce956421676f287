import type { EntityManager } from '../platform/db/orm.ts'
import { newId } from '../platform/ids.ts'
import { fromOf, messageIdOf } from './compose.ts'
import { claimMessage, deferMessage, type Claim, type ClaimAs } from './claim-queries.ts'
import { draftMessage, dueByLedger, holdEnrollment, type Draft, type NotNow } from './draft-queries.ts'
import type { MessageKey } from './message.ts'
import { recordForSure, untilDone } from './record-for-sure.ts'
import { settlePutOff, type Content, type Outcome } from './record-queries.ts'
import {
  again,
  type Attempt,
  type Patience,
  Sending,
  type SendMessageDependencies,
  type SendResult,
  warnOf,
} from './sending.ts'

/**
 * Sends a step's email to an enrollment's contact, at most once: render, permit, claim, hand over, record. The claim is made
 * when the mail server waits for the message, so that whatever is claimed had a connection, and whatever was not has
 * certainly not been sent. Whatever crashes, the claim is what the next attempt finds.
 */
export async function sendMessage(
  dependencies: SendMessageDependencies,
  key: MessageKey,
  automationId: string,
  patience: Patience,
): Promise<SendResult> {
  const em = dependencies.em.fork()
  const draft = await draftMessage(em, key, automationId)
  if (draft.kind === 'held') {
    return (await holdEnrollment(em, key.enrollmentId, automationId)) ? { kind: 'held' } : again()
  }
  if (draft.kind === 'existing' && draft.died !== undefined) {
    warnOf(dependencies.log, draft, { messageId: draft.died, ...idsOf(key, automationId) })
  }
  if (draft.kind !== 'ready') return notNow(draft, patience)
  const attempt = new StepAttempt(dependencies, key, automationId, draft)
  // However mail leaves at this moment: what is captured may be delivered one day.
  if (draft.lostUntil && draft.workspaceMode === 'live') {
    const { since, due } = await dueByLedger(em, key)
    const lostUntil = draft.lostUntil.getTime()
    // What began behind that began here.
    if (since.getTime() <= lostUntil && due.getTime() <= lostUntil + CLOCKS_DIFFER_MS) {
      return mayHaveBeenSent(dependencies, attempt, due)
    }
  }
  return new Sending(dependencies, attempt, draft).send(patience)
}

/** A workflow's clock and the ledger's, of which one says when it was sent and the other when it was due. */
const CLOCKS_DIFFER_MS = 60_000

/** What the ledger does not know any more, because it was lost between a backup and its restore, nobody may send again. */
async function mayHaveBeenSent(
  { log, metrics }: SendMessageDependencies,
  attempt: Attempt,
  at: Date,
): Promise<SendResult> {
  const messageId = await attempt.claim({ status: 'UNCONFIRMED', error: MAY_HAVE_BEEN_SENT, settledAt: at })
  if (messageId === undefined) return again()
  metrics.settled('UNCONFIRMED')
  warnOf(log, { status: 'UNCONFIRMED', error: MAY_HAVE_BEEN_SENT }, { messageId, ...attempt.ids })
  // What waits behind it waits since then: it may be due already, and have been sent, too.
  return { kind: 'settled', status: 'UNCONFIRMED', stop: false, at }
}

export const MAY_HAVE_BEEN_SENT =
  'It was due between the backup that this installation was restored from and what was lost since: it may have been sent'

/** How soon it is looked again whether another attempt is through, in milliseconds: its lease is longer. */
const BUSY_RETRY_MS = 5_000
/** How soon it is looked again whether an installation that was restored is reconciled, in milliseconds. */
const RESTORED_RETRY_MS = 10_000

function notNow(draft: Exclude<NotNow, { kind: 'held' }>, patience: Patience): SendResult {
  switch (draft.kind) {
    case 'gone':
      return draft
    case 'busy':
      return patience === 'at-once'
        ? { kind: 'queue' }
        : { kind: 'deferred', reason: 'Another attempt has it', afterMs: BUSY_RETRY_MS }
    case 'restored':
      return patience === 'at-once'
        ? { kind: 'queue' }
        : { kind: 'deferred', reason: 'Restored, and not reconciled yet', afterMs: RESTORED_RETRY_MS }
    case 'existing': {
      const { status, settledAt, onSendFailure } = draft
      return { kind: 'settled', status, stop: status === 'FAILED' && onSendFailure === 'STOP', at: settledAt }
    }
  }
}

/** An attempt of a sequence at the email of one of its steps. */
class StepAttempt implements Attempt {
  readonly key: MessageKey
  readonly claimId = newId()
  readonly ids: Record<string, string>
  private readonly dependencies: SendMessageDependencies
  private readonly of: Omit<Claim, 'as'>

  constructor(dependencies: SendMessageDependencies, key: MessageKey, automationId: string, draft: Draft) {
    const { attempts, holds, contact, consents } = draft
    this.dependencies = dependencies
    this.key = key
    this.ids = idsOf(key, automationId)
    const recipient = contact.email
    const header = messageIdOf({ mailFrom: fromOf(dependencies, draft) }, key)
    this.of = {
      key,
      automationId,
      messageId: newId(),
      claim: this.claimId,
      attempts,
      holds,
      recipient,
      consents,
      header,
    }
  }

  claim(as: ClaimAs): Promise<string | undefined> {
    return claimMessage(this.em(), { ...this.of, as })
  }

  async record(id: string, outcome: Outcome, content: Content): Promise<void> {
    await recordForSure(this.dependencies, { id, claim: this.claimId }, outcome, content)
    if (outcome.status === 'DEFERRED') await untilDone(() => settlePutOff(this.em(), this.key.enrollmentId))
  }

  async putOff(reason: string): Promise<void> {
    await deferMessage(this.em(), this.of, reason)
    await settlePutOff(this.em(), this.key.enrollmentId)
  }

  private em(): EntityManager {
    return this.dependencies.em.fork()
  }
}

const idsOf = ({ enrollmentId, stepId }: MessageKey, automationId: string) => ({ enrollmentId, stepId, automationId })
