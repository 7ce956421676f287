import { setTimeout as delay } from 'node:timers/promises'
import { abortAfter } from '../platform/abort.ts'
import { withoutAddresses } from '../platform/email-address.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Log, Metrics } from '../outbox/index.ts'
import {
  type RenderedEmail,
  type Renderer,
  RendererBusy,
  RendererClosed,
  TemplateError,
  type TemplateProblem,
} from '../rendering/index.ts'
import { isDelivered } from '../instance/index.ts'
import { withoutReturnPaths } from '../signed-links/index.ts'
import { newId } from '../platform/ids.ts'
import { NoSecretsKey } from '../platform/secrets.ts'
import { forTerminal } from '../platform/terminal.ts'
import { isOwnFrom, refusalOf, returnUnusedQuota, takeWarmUpQuota } from '../senders/index.ts'
import { SUPPRESSED_ERRORS } from '../contacts/index.ts'
import type { Attachment, Delivery, MailTransport, ConnectionSlot } from '../smtp/index.ts'
import { compose, headerOf, type Outgoing, type Sender, variablesOf } from './compose.ts'
import { BEGIN_WITHIN_MS, type LeaseKeeper, type SendLease } from './leases.ts'
import { logIdsOf, type MessageStatus } from './message.ts'
import type { Prepared } from './prepared.ts'
import type { Attempt, ClaimAs, Content, MessageStore, Outcome } from './store.ts'
import { statusAfter } from './transitions.ts'

export interface SendDependencies extends Sender {
  em: EntityManager
  /** The mail server for live workspaces; `undefined` if this process has none. */
  smtp: MailTransport | undefined
  renderer: Renderer
  /** Whether a workspace must have proven the domain from which it sends. */
  requiresProof: boolean
  leases: LeaseKeeper
  store: MessageStore
  metrics: Metrics
  log: Log
}

export type SendResult =
  /**
   * The message is final. `stop`: the automation ends the enrollment at this outcome. `at`: when an earlier attempt made it
   * final. `rejectedId`: its ID, if the mail server rejected it in this attempt.
   */
  | { kind: 'final'; status: MessageStatus; error: string | null; stop: boolean; at?: Date; rejectedId?: string }
  /** The automation is paused. */
  | { kind: 'paused' }
  /** The enrollment, the automation or the contact no longer exists. */
  | { kind: 'gone' }
  /** Something that the attempt had read has changed. It must read it again. */
  | { kind: 'changed' }
  /** Certainly not sent, or not to be decided yet. Must be tried again later. `cause`: this process cannot send mail of the workspace. */
  | { kind: 'deferred'; reason: string; afterMs: number; cause?: 'process' }
  /** It cannot be done in the time available. It must be done from the queue, or in its next turn. */
  | { kind: 'queue' }

/** The limit of an attempt's wait for a connection: a moment, or until its turn ends. */
export type WaitLimit = 'at-once' | { turn: AbortSignal }

/** Milliseconds that an email waits for a renderer when it is sent immediately, because others need its slot. */
const RENDER_SOON_MS = 500
/**
 * Milliseconds that an email from the queue waits for a renderer, and then for a connection, while it occupies a worker's slot.
 */
const TURN_MS = 3_000

/** Milliseconds that an email waits for the turn of a provider that gets mail too fast, while it occupies a worker's slot. */
export const MAX_TURN_WAIT_MS = 250

/** Milliseconds before a deferred message is tried again: initially and at most. */
const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 300_000
/** Returns the milliseconds until a deferred message is tried again. @param attempts number of earlier attempts */
export const retryAfterMs = (attempts: number): number => Math.min(FIRST_RETRY_MS * 2 ** attempts, MAX_RETRY_MS)
/** Milliseconds until a retry, so that another process that can send the message may get it. */
const ELSEWHERE_RETRY_MS = 30_000

/** Error of a message that was due after the backup, in the period whose data was lost. */
export const MAY_HAVE_BEEN_SENT_ERROR =
  'The message was due after the backup from which the instance was restored, so it may have been sent'

/** Maximum milliseconds between two checks of a warm-up, because its limit can be changed. */
export const MAX_WARM_UP_RECHECK_MS = 3_600_000
/** Milliseconds after midnight over which waiting messages are spread. */
const WARM_UP_SPREAD_MS = 600_000

/** Milliseconds after which a claim that was made ahead is released, if its message has no connection yet. */
const AHEAD_MS = 2_000

/** A claim of a message, or the attempt at one. */
interface Claim {
  lease: SendLease
  /** When its statement was sent, in `performance.now()`. */
  sentAt: number
  /** `unknown` until the response arrives. */
  isHeld: boolean | 'unknown'
}

/** One attempt at one message: render, take a connection, claim, transmit, record. The messages of a campaign can be claimed ahead. */
export class Sending {
  private readonly dependencies: SendDependencies
  private readonly message: Prepared
  private readonly attempt: Attempt
  private readonly deferSeconds: number | null
  /** The claim that was made ahead, until the transmission begins. */
  private ahead: Claim | undefined
  /** Whether the message was sent, or may have been. */
  mayBeSent = false

  /** @param deferSeconds seconds until a deferred message is due again; `null` if Temporal tries it again */
  constructor(dependencies: SendDependencies, message: Prepared, deferSeconds: number | null = null) {
    this.dependencies = dependencies
    this.message = message
    this.attempt = { message, claim: newId(), header: headerOf(dependencies, message) }
    this.deferSeconds = deferSeconds
  }

  async send(patience: WaitLimit): Promise<SendResult> {
    const { message } = this
    if (message.suppressedBy) return this.suppress()
    if (!message.sender?.isWarmingUp || !isDelivered(message)) return this.renderAndSend(patience)
    const { workspaceId } = message
    const em = () => this.dependencies.em.fork()
    const places = await takeWarmUpQuota(em(), workspaceId, 1, message.category === 'transactional')
    if (places.granted === 0) {
      const afterMs = places.moreInSeconds * 1_000 + Math.random() * WARM_UP_SPREAD_MS
      const reason = 'The daily warm-up limit of the sender is reached'
      return { kind: 'deferred', reason, afterMs: Math.min(afterMs, MAX_WARM_UP_RECHECK_MS) }
    }
    try {
      return await this.renderAndSend(patience)
    } finally {
      await returnUnusedQuota(em(), workspaceId, places, this.mayBeSent ? 1 : 0)
    }
  }

  /** Claims messages of one campaign in one statement, before connections are free for them. */
  static async claimAhead(group: readonly Sending[]): Promise<void> {
    const [first] = group
    if (!first) return
    const { leases, store, log } = first.dependencies
    const sentAt = performance.now()
    const claims = group.map((sending) => {
      const claim: Claim = { lease: leases.begin(sending.attempt.claim), sentAt, isHeld: 'unknown' }
      sending.ahead = claim
      return { claim, attempt: sending.attempt }
    })
    try {
      const held = await store.claimAhead(claims.map(({ attempt }) => attempt))
      for (const { claim, attempt } of claims) {
        claim.isHeld = held.has(attempt)
        if (claim.isHeld) claim.lease.claimed(sentAt)
      }
    } catch (error) {
      log.warn({ error, ...first.logIds }, 'Could not claim messages')
    }
  }

  /** Queues messages again that were claimed ahead, and whose transmission has not begun. */
  static async release(group: readonly Sending[]): Promise<void> {
    const unused = group.filter(({ ahead }) => ahead)
    const [first] = unused
    if (!first) return
    const { store, log } = first.dependencies
    try {
      const held = unused.filter(({ ahead }) => ahead?.isHeld !== false)
      if (held.length > 0) await store.release(held.map(({ attempt }) => attempt))
    } catch (error) {
      log.warn({ error, ...first.logIds }, 'Could not release messages')
    } finally {
      for (const sending of unused) sending.endAhead()
    }
  }

  private endAhead(): void {
    this.ahead?.lease.end()
    this.ahead = undefined
  }

  /** Sends an email that is already rendered, or finalizes the message with its template error. */
  async sendRendered(
    rendered: RenderedEmail | TemplateProblem,
    patience: Exclude<WaitLimit, 'at-once'>,
  ): Promise<SendResult> {
    if ('problem' in rendered) return this.failTemplate(`${rendered.field}: ${rendered.problem}`)
    try {
      if (this.ahead?.isHeld === false) return { kind: 'changed' }
      if (this.ahead?.isHeld === 'unknown') return await this.defer(NO_ANSWER)
      return await this.sendEmail(rendered, patience)
    } finally {
      await Sending.release([this])
    }
  }

  suppress(): Promise<SendResult> {
    return this.finalize({ status: 'SUPPRESSED', error: SUPPRESSED_ERRORS[this.message.suppressedBy!] })
  }

  /** Makes the message UNCONFIRMED: it may have been sent before a restore. */
  abandon(error: string, finalAt?: Date): Promise<SendResult> {
    return this.finalize({ status: 'UNCONFIRMED', error, ...(finalAt && { finalAt }) })
  }

  private async renderAndSend(patience: WaitLimit): Promise<SendResult> {
    const { renderer } = this.dependencies
    const { message } = this
    if (message.email?.data === null) return this.sendEmail(message.content, patience)
    let rendered: RenderedEmail
    const late = abortAfter(patience === 'at-once' ? RENDER_SOON_MS : TURN_MS, 'No renderer was free')
    try {
      const options = { owner: message.workspaceId, beginBy: late.signal }
      rendered = await renderer.render(message.content, variablesOf(this.dependencies, message), options)
    } catch (error) {
      if (error instanceof RendererClosed) return { kind: 'queue' }
      if (error instanceof RendererBusy)
        return patience === 'at-once' || late.signal.aborted ? { kind: 'queue' } : this.defer(error.message)
      if (!(error instanceof TemplateError)) throw error
      return this.failTemplate(error.message)
    } finally {
      late.forget()
    }
    return this.sendEmail(rendered, patience)
  }

  private async sendEmail(rendered: RenderedEmail, patience: WaitLimit): Promise<SendResult> {
    const { smtp, log } = this.dependencies
    const { message } = this
    let content: Outgoing
    try {
      content = compose(this.dependencies, message, rendered)
    } catch (error) {
      if (!(error instanceof NoSecretsKey)) throw error
      // Another worker of the instance may have the key. Unsigned mail would be treated as spam.
      log.warn(
        { reason: error.message, workspaceId: message.workspaceId },
        'Email cannot be signed; waiting for a worker that has the key',
      )
      return {
        kind: 'deferred',
        reason: 'This process cannot read the signing key',
        afterMs: ELSEWHERE_RETRY_MS,
        cause: 'process',
      }
    }
    if (!isDelivered(message)) return this.finalize({ status: 'CAPTURED', content })
    const from = message.email?.from ?? null
    const senders = { workspace: message.sender?.address ?? null, instance: this.dependencies.mailFrom }
    // The sender may have changed since the email was accepted.
    if (from !== null && !isOwnFrom(from, senders))
      return this.finalize({ status: 'FAILED', error: FROM_NO_LONGER_ALLOWED, isRejected: false, content })
    const refusal = message.sender && refusalOf(message.sender, this.dependencies)
    if (refusal) return this.defer(refusal)
    // Another worker of the instance delivers mail. Capturing the message here would lose it.
    if (!smtp)
      return {
        kind: 'deferred',
        reason: 'This process has no mail server, but the instance sends through one',
        afterMs: ELSEWHERE_RETRY_MS,
        cause: 'process',
      }
    const lateMs = await this.waitForTurn(smtp, patience)
    if (lateMs > 0) return { kind: 'deferred', reason: 'The mailbox provider gets mail too fast', afterMs: lateMs }
    const permit =
      patience === 'at-once' ? await smtp.permitSoon(this.turn) : await this.permitInTime(smtp, patience.turn)
    return permit ? this.transmit(permit, content) : { kind: 'queue' }
  }

  /**
   * Waits for the turn of a provider that gets mail too fast. A campaign takes the turns of its emails itself.
   * @returns 0, or the milliseconds after which to try again if the turn is not soon
   */
  private async waitForTurn({ pace }: MailTransport, patience: WaitLimit): Promise<number> {
    const { ref, contact } = this.message
    const provider = ref.kind === 'campaign' ? undefined : pace?.limitedProviderOf(contact.email)
    if (!pace || provider === undefined) return 0
    const turn = pace.takeOrReserve(provider, patience === 'at-once' ? 0 : MAX_TURN_WAIT_MS)
    if ('laterMs' in turn) return turn.laterMs
    if (turn.waitMs > 0) await delay(turn.waitMs)
    return 0
  }

  /** The turn in which it gets a connection. */
  private get turn(): string {
    const { ref, workspaceId } = this.message
    // Transactional emails do not wait for the campaigns of their workspace.
    return ref.kind === 'email' ? `${workspaceId} emails` : workspaceId
  }

  private async permitInTime(smtp: MailTransport, turn: AbortSignal): Promise<ConnectionSlot | undefined> {
    const late = abortAfter(TURN_MS, 'No connection was free')
    try {
      return await smtp.permit(this.turn, AbortSignal.any([turn, late.signal]))
    } catch (error) {
      if (error === late.signal.reason) return undefined
      throw error
    } finally {
      late.forget()
    }
  }

  private async transmit(permit: ConnectionSlot, content: Outgoing): Promise<SendResult> {
    const { leases, metrics, log } = this.dependencies
    const { message } = this
    const claim = this.ahead ?? { lease: leases.begin(this.attempt.claim), sentAt: performance.now(), isHeld: false }
    const { lease } = claim
    const ageMs = () => performance.now() - claim.sentAt
    if (this.ahead && ageMs() > AHEAD_MS) {
      permit.release()
      return { kind: 'queue' }
    }
    // A request that stops something waits at most this long.
    const mayBegin = () => lease.holds() && ageMs() < BEGIN_WITHIN_MS
    try {
      const attachments = await this.readAttachments(permit)
      const delivery = await permit.deliver(
        { ...content, html: content.trackedHtml, to: content.recipient, attachments },
        {
          begin: async () => (await (this.ahead ? this.beginAhead(mayBegin) : this.claim(claim))) && mayBegin(),
          mayBeginAgain: mayBegin,
          mayGoOn: () => lease.holds(),
          breakOff: lease.breakOff,
        },
      )
      if (claim.isHeld !== true) return await this.unclaimed(delivery, claim.isHeld === 'unknown', content)
      const outcome = outcomeOf(delivery)
      if (outcome.status === 'DEFERRED' || outcome.status === 'FAILED') this.mayBeSent = false
      await this.record(outcome, content)
      metrics.settled(outcome.status)
      logOutcome(log, outcome, { messageId: message.id, ...this.logIds }, content)
      return this.resultOf(outcome)
    } finally {
      if (!this.ahead) lease.end()
    }
  }

  /** Claims the message when the server waits for it. @returns whether the attempt holds the claim */
  private async claim(claim: Claim): Promise<boolean> {
    const { store, log } = this.dependencies
    claim.sentAt = performance.now()
    claim.isHeld = 'unknown'
    try {
      claim.isHeld = await store.claim(this.attempt, { status: 'SENDING' })
    } catch (error) {
      log.warn({ error, ...this.logIds }, 'Could not claim the message')
      return false
    }
    if (claim.isHeld) claim.lease.claimed(claim.sentAt)
    this.mayBeSent ||= claim.isHeld
    return claim.isHeld
  }

  /** Records that the transmission begins of a message that was claimed ahead. @returns whether it may begin */
  private async beginAhead(mayBegin: () => boolean): Promise<boolean> {
    const { store, log } = this.dependencies
    if (!mayBegin()) return false
    try {
      if (!(await store.begin(this.attempt))) return false
    } catch (error) {
      log.warn({ error, ...this.logIds }, 'Could not begin the message')
      return false
    }
    this.ahead = undefined
    this.mayBeSent = true
    return true
  }

  /** Reads the attachments. Releases the connection if that fails. */
  private async readAttachments(permit: ConnectionSlot): Promise<readonly Attachment[]> {
    const { message } = this
    if (!message.email?.hasAttachments) return []
    const { em, store } = this.dependencies
    try {
      return (await store.source(message).readAttachments?.(em.fork(), message)) ?? []
    } catch (error) {
      permit.release()
      throw error
    }
  }

  private async record(outcome: Outcome, content: Content): Promise<void> {
    const { store, log } = this.dependencies
    const { attempt, deferSeconds: dueInSeconds } = this
    if (outcome.status === 'DEFERRED') return store.defer(attempt, outcome.error, { content, dueInSeconds })
    const error = await store.record(attempt, outcome, content)
    if (error)
      log.error({ error, messageId: this.message.id }, 'Could not store the email content; stored the outcome only')
  }

  /** Handles an attempt that transmitted nothing and holds no claim. */
  private async unclaimed(delivery: Delivery, mayBeClaimed: boolean, content: Content): Promise<SendResult> {
    if (!mayBeClaimed) {
      if (delivery.kind === 'refused')
        return this.finalize({ status: 'FAILED', error: asText(delivery.reason), isRejected: true, content })
      if (delivery.kind === 'withdrawn') return { kind: 'changed' }
    }
    return this.defer('reason' in delivery ? asText(delivery.reason) : NO_ANSWER)
  }

  private failTemplate(problem: string): Promise<SendResult> {
    // The problem can contain the contact's data, which must not be logged.
    const failed = { status: 'FAILED', error: `Template error in ${problem}`, isRejected: false } as const
    return this.finalize(failed, 'Template error; see the message for the reason')
  }

  private async defer(reason: string): Promise<SendResult> {
    await this.dependencies.store.defer(this.attempt, reason, { dueInSeconds: this.deferSeconds })
    this.dependencies.metrics.settled('DEFERRED')
    return this.deferred(reason)
  }

  /** Finalizes the message in its claim, because nothing has to be transmitted. */
  private async finalize(as: Exclude<ClaimAs, { status: 'SENDING' }>, errorInLog?: string): Promise<SendResult> {
    const { log, metrics, store } = this.dependencies
    const { message } = this
    const sound = 'error' in as ? { ...as, error: asText(as.error) } : as
    if (!(await store.claim(this.attempt, sound))) return { kind: 'changed' }
    metrics.settled(as.status)
    const logged = errorInLog === undefined ? sound : { status: as.status, error: errorInLog }
    logOutcome(log, logged, { messageId: message.id, ...this.logIds }, { recipient: message.contact.email })
    const result = this.resultOf(sound)
    return result.kind === 'final' && 'finalAt' in as && as.finalAt ? { ...result, at: as.finalAt } : result
  }

  private deferred(reason: string): SendResult {
    return { kind: 'deferred', reason, afterMs: retryAfterMs(this.message.attempts) }
  }

  private resultOf(outcome: Outcome | ClaimAs): SendResult {
    const error = 'error' in outcome ? outcome.error : null
    if (outcome.status === 'DEFERRED' || outcome.status === 'SENDING') return this.deferred(error ?? '')
    const { before, intent, onSendFailure } = this.message
    const status = statusAfter({ before: before ?? 'QUEUED', intent }, outcome.status)
    const stop = status === 'FAILED' && onSendFailure === 'STOP'
    const isRejected = outcome.status === 'FAILED' && outcome.isRejected
    return { kind: 'final', status, error, stop, ...(isRejected && { rejectedId: this.message.id }) }
  }

  private get logIds(): Record<string, string> {
    const { ref, automationId } = this.message
    return { ...logIdsOf(ref), ...(automationId !== null && { automationId }) }
  }
}

const FROM_NO_LONGER_ALLOWED =
  'The address in from is not of the sender that the workspace has now. Send the email again from that sender.'

const NO_ANSWER = 'The database did not respond in time'

/** Log texts for outcomes that may need an action. */
const WARNINGS: Partial<Record<MessageStatus, string>> = {
  FAILED: 'Email failed permanently',
  UNCONFIRMED: 'Delivery unconfirmed; not retried automatically. To decide, run: npm run cli -- message list',
}

/** Logs an outcome with the server's response, without addresses and without the subject. */
export function logOutcome(
  log: Log,
  { status, ...outcome }: { status: MessageStatus; error?: string },
  ids: Record<string, string>,
  { recipient, subject }: { recipient?: string; subject?: string } = {},
): void {
  const warning = WARNINGS[status]
  if (warning === undefined) return
  const reason = subject?.trim() ? outcome.error?.replaceAll(subject.trim(), '…') : outcome.error
  log.warn({ status, ...ids, ...(reason !== undefined && { reason: withoutAddresses(reason, recipient) }) }, warning)
}

/** Converts the result of a claimed transmission into an outcome. */
export function outcomeOf(delivery: Delivery): Outcome {
  switch (delivery.kind) {
    case 'taken':
      return { status: 'SENT', response: asText(delivery.response) }
    case 'refused':
      return { status: 'FAILED', error: asText(delivery.reason), isRejected: true }
    case 'unknown':
      return { status: 'UNCONFIRMED', error: asText(delivery.reason) }
    case 'not-sent':
      return { status: 'DEFERRED', error: asText(delivery.reason) }
    case 'withdrawn':
      return { status: 'DEFERRED', error: 'The claim was too late' }
  }
}

const MAX_SERVER_TEXT = 2_000

/** Sanitizes and truncates a server's response for storage and terminal output. */
const asText = (words: string): string =>
  withoutReturnPaths(forTerminal(words)).toWellFormed().slice(0, MAX_SERVER_TEXT)
