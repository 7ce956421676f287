import { readSendingGate } from '../instance/index.ts'
import { batch } from '../platform/batcher.ts'
import { readSubscriptions, recordWebhookFacts } from '../webhooks/index.ts'
import { beginAhead, noteAhead } from './ahead-queries.ts'
import { enqueueEach } from '../outbox/index.ts'
import { isTransient } from '../platform/db/errors.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { pipelined } from '../platform/db/sql.ts'
import { untilDone } from '../platform/db/until-done.ts'
import { countChanges, factsOf } from './changes-queries.ts'
import type { Prepared } from './prepared.ts'
import type { MessageSource, MessageSources } from './source.ts'
import { releaseAhead } from './lease-queries.ts'
import {
  type AttemptColumns,
  type ContentColumns,
  type OutcomeRow,
  type StepColumns,
  writeClaims,
  writeDeferrals,
  writeOutcomes,
} from './store-queries.ts'
import { assertTransition, type AttemptStatus, statusAfter } from './transitions.ts'

/** The stored email: what was sent, or would have been. */
export interface Content {
  messageId: string
  recipient: string
  subject: string
  html: string | null
  text: string | null
}

/** An attempt at a message. */
export interface Attempt {
  message: Prepared
  /** Identifies the attempt in the row. */
  claim: string
  /** The Message-ID header of the attempt. */
  header: string
}

/** Result of a claim: its owner sends the message, or the message is finalized immediately. */
export type ClaimAs =
  | { status: 'SENDING' }
  | { status: 'CAPTURED'; content: Content }
  | { status: 'FAILED'; error: string; isRejected: boolean; content?: Content }
  | { status: 'SUPPRESSED'; error: string }
  | { status: 'UNCONFIRMED'; error: string; finalAt?: Date }

/** How a claimed attempt ended. `isRejected`: the mail server rejected it, maybe because of its recipient. */
export type Outcome =
  | { status: 'SENT'; response: string }
  | { status: 'FAILED'; error: string; isRejected: boolean }
  | { status: 'UNCONFIRMED'; error: string }
  | { status: 'DEFERRED'; error: string }

interface Claiming extends Attempt {
  as: ClaimAs
}

interface Recording extends Attempt {
  outcome: Exclude<Outcome, { status: 'DEFERRED' }>
  content: Content | undefined
}

interface Deferring extends Attempt {
  error: string
  content: Content | undefined
  dueInSeconds: number | null
}

/**
 * The numbers of messages of a campaign that wait for each other before they begin, and before they are recorded. About as many as there
 * are connections by default, so that a process that dies leaves no more of them unconfirmed.
 */
const BEGINNING = { count: 4, withinMs: 2 }
const RECORDING = { count: 5, withinMs: 10 }

const CAPTURED_THIS_TIME = 'The retry was captured; the first attempt may have arrived'

/**
 * The message store is the only way to claim a message and to record its outcome. Concurrent calls for one automation or campaign
 * share their statements. The steps of an attempt are: prepare, render, take a connection, claim (when the server waits for the
 * content), transmit, record.
 */
export class MessageStore {
  private readonly em: EntityManager
  private readonly sources: MessageSources
  private readonly claimOne = batch(bySource, (claims: Claiming[]) => this.claimAll(claims))
  private readonly beginOne = batch(bySource, (attempts: Attempt[]) => this.beginAll(attempts), { gather: BEGINNING })
  private readonly recordOne = batch(bySource, (outcomes: Recording[]) => this.recordAll(outcomes))
  private readonly recordOfCampaign = batch(bySource, (outcomes: Recording[]) => this.recordAll(outcomes), {
    gather: RECORDING,
  })

  constructor(em: EntityManager, sources: MessageSources) {
    this.em = em
    this.sources = sources
  }

  source(message: Pick<Prepared, 'ref'>): MessageSource {
    return this.sources[message.ref.kind]
  }

  /**
   * Claims a message if it may still be sent. Fails if the automation or campaign was paused, cancelled or deleted, another
   * attempt came first, sending is disabled, or the contact's address or consent changed since the message was prepared.
   *
   * @returns whether this attempt holds the claim
   */
  claim(attempt: Attempt, as: ClaimAs): Promise<boolean> {
    return this.claimOne({ ...attempt, as })
  }

  /**
   * Claims messages of one campaign in one statement, before connections are free for them. The caller calls `begin` before it
   * transmits one, and releases those that it does not transmit.
   *
   * @returns the attempts that hold their claims
   */
  async claimAhead(attempts: readonly Attempt[]): Promise<ReadonlySet<Attempt>> {
    const holds = await this.claimAll(
      attempts.map((attempt) => ({ ...attempt, as: { status: 'SENDING' } as const })),
      { areAhead: true },
    )
    return new Set(attempts.filter((_attempt, n) => holds[n]))
  }

  /** Records that the transmission of a message begins that was claimed ahead. @returns whether it may */
  begin(attempt: Attempt): Promise<boolean> {
    return this.beginOne(attempt)
  }

  /**
   * Queues messages again that were claimed ahead and not begun. Retries transient errors: after a crash of Postgres, only this process
   * knows that they were not begun.
   */
  release(attempts: readonly Attempt[]): Promise<void> {
    return untilDone(() => releaseAhead(this.em.fork(), attempts.map(aheadRow)))
  }

  /**
   * Records how an attempt ended. Retries transient errors, because only this process knows the outcome.
   * @returns the error that kept the content and the server's response from being stored, if any
   */
  async record(
    attempt: Attempt,
    outcome: Exclude<Outcome, { status: 'DEFERRED' }>,
    content: Content,
  ): Promise<Error | undefined> {
    const record = attempt.message.ref.kind === 'campaign' ? this.recordOfCampaign : this.recordOne
    try {
      await untilDone(() => record({ ...attempt, outcome, content }))
      return undefined
    } catch (error) {
      await untilDone(() => record({ ...attempt, outcome: withoutText(outcome), content: undefined }))
      return error as Error
    }
  }

  /**
   * Records that a message was certainly not sent. Retries transient errors. A claim that may still be in transit fails when it
   * arrives. Messages of an ended enrollment are not tried again.
   */
  async defer(
    attempt: Attempt,
    error: string,
    { content, dueInSeconds }: { content?: Content | undefined; dueInSeconds: number | null },
  ): Promise<void> {
    await untilDone(() => this.deferAll([{ ...attempt, error, content, dueInSeconds }]))
  }

  private async claimAll(claims: readonly Claiming[], { areAhead } = { areAhead: false }): Promise<boolean[]> {
    const source = this.source(claims[0]!.message)
    const messages = claims.map(({ message }) => message)
    const written = await pipelined(this.em, async (unit) => {
      const [gate, allowed] = await Promise.all([readSendingGate(unit), source.lockForClaim(unit, messages)])
      const sendable = new Set(gate.isOpen ? allowed : [])
      const rows = claims.filter(({ message }) => sendable.has(message)).map(claimRow)
      if (rows.length === 0) return () => Promise.resolve(new Set<string>())
      const changes = await writeClaims(unit, rows)
      const held: ReadonlySet<string> = new Set(changes.map(({ claim }) => claim))
      const holders = claims.filter(({ claim }) => held.has(claim))
      await source.claimed?.(
        unit,
        holders.map(({ message }) => message),
        holders.filter(({ as }) => as.status === 'SENDING').map(({ message }) => message),
      )
      await enqueueBounces(
        unit,
        holders.filter(({ as }) => isRejected(as)),
      )
      await recordWebhookFacts(unit, factsOf(changes))
      const ahead = areAhead ? holders.map(aheadRow) : []
      return () => Promise.all([noteAhead(unit, ahead), countChanges(unit, changes)]).then(() => held)
    })
    return claims.map(({ claim }) => written.has(claim))
  }

  private async beginAll(attempts: readonly Attempt[]): Promise<boolean[]> {
    const claims = attempts.map(({ claim }) => claim)
    const begun = await beginAhead(this.em.fork(), claims)
    return claims.map((claim) => begun.has(claim))
  }

  private async recordAll(outcomes: readonly Recording[]): Promise<undefined[]> {
    const write = async (these: readonly Recording[]) => {
      const rejected = these.filter(({ outcome }) => isRejected(outcome))
      await pipelined(this.em, async (unit) => {
        const [changes, subscriptions] = await Promise.all([
          writeOutcomes(unit, these.map(outcomeRow)),
          readSubscriptions(unit, workspacesOf(these)),
        ])
        await recordWebhookFacts(unit, factsOf(changes), subscriptions)
        return () => Promise.all([countChanges(unit, changes), enqueueBounces(unit, rejected)])
      })
    }
    try {
      await write(outcomes)
    } catch (error) {
      if (outcomes.length === 1 || isTransient(error)) throw error
      // If one row cannot be stored, the others still are.
      await Promise.all(outcomes.map((one) => write([one]).catch(() => undefined)))
      throw error
    }
    return outcomes.map(() => undefined)
  }

  private async deferAll(deferrals: readonly Deferring[]): Promise<void> {
    const source = this.source(deferrals[0]!.message)
    await this.em.fork().transactional(async (unit) => {
      const ended = await source.lockForDeferral(
        unit,
        deferrals.map(({ message }) => message),
      )
      await writeDeferrals(
        unit,
        deferrals.map(({ message, claim, error, content, dueInSeconds }) => {
          const before = message.before ?? 'QUEUED'
          const status = statusAfter({ before, intent: message.intent }, 'DEFERRED')
          const isOver = message.intent === 'send' && ended.has(message)
          return {
            ...attemptColumns(message, claim),
            // A retry that was not sent keeps the content of the earlier attempt, which may have arrived at another address.
            ...contentColumns(message, isOver || message.intent !== 'send' ? undefined : content),
            // The contact may have been erased: no row is inserted, and no personal data is stored.
            ...(isOver ? { before, status: 'DISMISSED' as const, error: ENROLLMENT_ENDED } : { status, error }),
            retry_at: message.intent === 'retry' ? (message.retryAt ?? new Date().toISOString()) : message.retryAt,
            abandoned_at: message.abandonedAt,
            due_in: dueInSeconds,
          }
        }),
      )
    })
  }
}

const workspacesOf = (attempts: readonly Attempt[]) => attempts.map(({ message }) => message.workspaceId)

const aheadRow = ({ claim, message }: Attempt) => ({ claim, messageId: message.id })

const isRejected = (result: ClaimAs | Outcome): boolean => result.status === 'FAILED' && result.isRejected

/** Enqueues the messages that the mail server rejected, so that a rejection of the recipient becomes a bounce. */
const enqueueBounces = (unit: EntityManager, rejected: readonly { message: Prepared }[]) =>
  enqueueEach(
    unit,
    'BOUNCE',
    rejected.map(({ message: { id, workspaceId } }) => ({ id, workspaceId })),
    'batch',
  )

/** Error of a message that was deferred when its enrollment ended. */
export const ENROLLMENT_ENDED = 'The enrollment ended before the message could be sent'

function bySource({ message }: Attempt): string {
  const { ref } = message
  return ref.kind === 'campaign' ? ref.campaignId : (message.automationId ?? message.workspaceId)
}

function outcomeRow({ message, claim, outcome, content }: Recording): OutcomeRow {
  const { status, error } = finalOutcome(message, outcome)
  return {
    id: message.id,
    claim,
    status,
    response: 'response' in outcome ? outcome.response : null,
    error,
    ...contentColumns(message, content),
  }
}

/** Returns the final status of a claimed message, and its error. */
function finalOutcome(
  message: Prepared,
  outcome: Recording['outcome'],
): { status: AttemptStatus; error: string | null } {
  const status = statusAfter({ before: message.before ?? 'QUEUED', intent: message.intent }, outcome.status)
  assertTransition('SENDING', status)
  return { status, error: 'error' in outcome ? outcome.error : null }
}

function claimRow({ message, claim, header, as }: Claiming) {
  const before = message.before ?? 'QUEUED'
  const status = as.status === 'SENDING' ? as.status : statusAfter({ before, intent: message.intent }, as.status)
  assertTransition(before, status)
  const content = 'content' in as ? as.content : undefined
  const isCaptureOfUnconfirmed = as.status === 'CAPTURED' && status === 'UNCONFIRMED'
  return {
    ...attemptColumns(message, claim),
    ...contentColumns(message, content),
    status,
    error: 'error' in as ? as.error : isCaptureOfUnconfirmed ? CAPTURED_THIS_TIME : null,
    message_id: content?.messageId ?? header,
    recipient: recipientOf(message, as, content),
    known_final_at: 'finalAt' in as && as.finalAt ? as.finalAt.toISOString() : null,
  }
}

/**
 * Returns the recipient that a claim stores. A message in flight stores none, because it may outlive an erasure for a moment. A
 * retry that sends nothing keeps the recipient of the earlier attempt: the contact's address may have changed since.
 */
function recipientOf({ intent, contact }: Prepared, { status }: ClaimAs, content: Content | undefined): string | null {
  if (status === 'SENDING' || (intent !== 'send' && !content)) return null
  return contact.email
}

function attemptColumns(message: Prepared, claim: string): AttemptColumns & StepColumns {
  const { id, attempts, before, intent, ref } = message
  const step = ref.kind === 'step' ? ref : undefined
  return {
    id,
    claim,
    attempts,
    before,
    intent,
    status: 'DEFERRED',
    error: null,
    workspace_id: message.workspaceId,
    contact_id: message.contactId,
    automation_id: message.automationId,
    enrollment_id: step?.enrollmentId ?? null,
    step_id: step?.stepId ?? null,
  }
}

/** The content of a campaign, and of an email without a template, is stored there and not again with the message. */
function contentColumns({ ref, email }: Prepared, content: Content | undefined): ContentColumns {
  const keepsBody = ref.kind !== 'campaign' && email?.data !== null
  return {
    message_id: content?.messageId ?? null,
    recipient: content?.recipient ?? null,
    subject: content?.subject ?? null,
    html: keepsBody ? (content?.html ?? null) : null,
    text: keepsBody ? (content?.text ?? null) : null,
  }
}

const withoutText = (outcome: Recording['outcome']): Recording['outcome'] =>
  'error' in outcome ? { ...outcome, error: 'The outcome cannot be stored' } : { ...outcome, response: '' }
