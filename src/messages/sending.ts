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
import { withoutReturnPaths } from '../signed-links/index.ts'
import { giveBackRest, takePlaces } from '../senders/index.ts'
import type { Delivery, MailTransport, Permit } from '../transports/index.ts'
import type { ClaimAs } from './claim-queries.ts'
import type { Draft } from './draft-queries.ts'
import type { LeaseKeeper } from './hand-over-leases.ts'
import type { MessageKey, MessageStatus } from './message.ts'
import { SUPPRESSED_WORDS } from '../contacts/index.ts'
import { compose, type Drafted, type Outgoing, type Sender, variablesOf } from './compose.ts'
import { untilDone } from './record-for-sure.ts'
import type { Content, Outcome } from './record-queries.ts'
import { BEGIN_WITHIN_MS } from './wait-for-senders.ts'
import { NoSecretsKey } from '../platform/secrets.ts'
import { forTerminal } from '../platform/terminal.ts'

export interface SendMessageDependencies extends Sender {
  em: EntityManager
  /** Where mail of live workspaces goes; `undefined` captures it. */
  smtp: MailTransport | undefined
  renderer: Renderer
  leases: LeaseKeeper
  metrics: Metrics
  log: Log
}

export type SendResult =
  /** The message is settled; `stop` where the automation ends a sequence at this outcome. */
  /** `at` where it was settled by an earlier attempt: then. */
  | { kind: 'settled'; status: MessageStatus; stop: boolean; at?: Date }
  | { kind: 'held' }
  | { kind: 'gone' }
  /** Certainly not sent, or not to be settled yet: to be tried again later. */
  | { kind: 'deferred'; reason: string; afterMs: number }
  /** It can't be done within the time that it may take here: to be done where it may wait, or when it is its turn again. */
  | { kind: 'queue' }

/** How an email comes by a connection: only if one is free within a moment, or whenever its turn comes. */
export type Patience = 'at-once' | { turn: AbortSignal }

/** What an attempt writes into the ledger: a step's for its sequence, or one that somebody asked for. */
export interface Attempt {
  key: MessageKey
  /** Names it: see `Claim`. */
  claimId: string
  /** What the log knows it by. */
  ids: Record<string, string>
  /** Claims it to be handed over, or settles it at once. @returns the message's id; `undefined` where it may not be sent any more. */
  claim(as: ClaimAs): Promise<string | undefined>
  /** Records, for sure, how a claimed one ended. */
  record(id: string, outcome: Outcome, content: Content): Promise<void>
  /** Notes that it was certainly not sent. A claim that may be on its way fails behind this. May be repeated. */
  putOff(reason: string): Promise<void>
}

/** How long an email waits for a thread to render it, in milliseconds, when it is to go at once: others need its slot. */
const RENDER_SOON_MS = 500
/**
 * How long one from the queue waits for a thread, and then for a connection, in milliseconds. It keeps a slot of its worker
 * meanwhile, and whoever has slow recipients would keep all of them: the queue gives workspaces their turns.
 */
const TURN_MS = 3_000

/** Something changed between two looks. */
export const again = (): SendResult => ({ kind: 'deferred', reason: 'It changed meanwhile', afterMs: FIRST_RETRY_MS })

/** How long a message waits after its first try that came to nothing, in milliseconds, and at most: it is doubled each time. */
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 300_000
/** How soon another process may have it that can send, in milliseconds. */
const ELSEWHERE_RETRY_MS = 30_000

/** What waits for its sender to be allowed more looks again this soon, in milliseconds: that can be changed, or ended. */
export const LONGEST_WARM_UP_LOOK_MS = 3_600_000
/** Those that wait for the same midnight come within so many milliseconds behind it. */
const WARM_UP_SPREAD_MS = 600_000

/** One attempt at one message, whoever makes it: render, permit, claim, hand over, record. */
export class Sending {
  private readonly dependencies: SendMessageDependencies
  private readonly attempt: Attempt
  private readonly draft: Drafted
  /** Whether it was mailed, or may have been. */
  mayBeMailed = false

  constructor(dependencies: SendMessageDependencies, attempt: Attempt, draft: Drafted) {
    this.dependencies = dependencies
    this.attempt = attempt
    this.draft = draft
  }

  async send(patience: Patience): Promise<SendResult> {
    const { draft } = this
    if (draft.suppressedBy) return this.settle({ status: 'SUPPRESSED', error: SUPPRESSED_WORDS[draft.suppressedBy] })
    if (!draft.sender?.isWarmingUp || !isDelivered(draft)) return this.renderAndGo(patience)
    const { workspaceId } = draft
    const em = () => this.dependencies.em.fork()
    const places = await takePlaces(em(), workspaceId, 1, draft.category === 'transactional')
    if (places.granted === 0) {
      const afterMs = places.moreInSeconds * 1_000 + Math.random() * WARM_UP_SPREAD_MS
      const reason = 'Its sender is being warmed up, and mails no more today'
      return { kind: 'deferred', reason, afterMs: Math.min(afterMs, LONGEST_WARM_UP_LOOK_MS) }
    }
    try {
      return await this.renderAndGo(patience)
    } finally {
      await giveBackRest(em(), workspaceId, places, this.mayBeMailed ? 1 : 0)
    }
  }

  private async renderAndGo(patience: Patience): Promise<SendResult> {
    const { renderer } = this.dependencies
    const { draft } = this
    const { key } = this.attempt
    let rendered: RenderedEmail
    const late = abortAfter(patience === 'at-once' ? RENDER_SOON_MS : TURN_MS, 'No process was free')
    try {
      const options = { owner: draft.workspaceId, beginBy: late.signal }
      rendered = await renderer.render(draft.content, variablesOf(this.dependencies, key, draft), options)
    } catch (error) {
      if (error instanceof RendererClosed) return { kind: 'queue' }
      if (error instanceof RendererBusy)
        return patience === 'at-once' || late.signal.aborted ? { kind: 'queue' } : this.putOff(error.message)
      if (!(error instanceof TemplateError)) throw error
      return this.templateFailed(error.message)
    } finally {
      late.forget()
    }
    return this.go(rendered, patience)
  }

  /** The same of what is rendered already, or can't be. */
  async sendRendered(
    rendered: RenderedEmail | TemplateProblem,
    patience: Exclude<Patience, 'at-once'>,
  ): Promise<SendResult> {
    if ('problem' in rendered) return this.templateFailed(`${rendered.field}: ${rendered.problem}`)
    return this.go(rendered, patience)
  }

  private async go(rendered: RenderedEmail, patience: Patience): Promise<SendResult> {
    const { smtp } = this.dependencies
    const { draft } = this
    const { key } = this.attempt
    let content: Outgoing
    try {
      content = compose(this.dependencies, key, draft, rendered)
    } catch (error) {
      if (!(error instanceof NoSecretsKey)) throw error
      // Somewhere else in this installation it can be signed; sending it unsigned would be to have it taken for spam.
      this.dependencies.log.warn(
        { reason: error.message, workspaceId: draft.workspaceId },
        'An email cannot be signed, and waits',
      )
      return { kind: 'deferred', reason: 'This process cannot read the key to sign with', afterMs: ELSEWHERE_RETRY_MS }
    }
    if (!isDelivered(draft)) return this.settle({ status: 'CAPTURED', content })
    // Somewhere else in this installation mail is delivered: capturing it here would be to lose it.
    if (!smtp)
      return {
        kind: 'deferred',
        reason: 'This process has no mail server, and this installation sends by one',
        afterMs: ELSEWHERE_RETRY_MS,
      }
    if (patience === 'at-once') {
      const permit = await smtp.permitSoon(draft.workspaceId)
      return permit ? this.handOver(permit, content) : { kind: 'queue' }
    }
    const permit = await this.permitInTime(smtp, patience.turn)
    return permit ? this.handOver(permit, content) : { kind: 'queue' }
  }

  private templateFailed(problem: string): Promise<SendResult> {
    // What it says can hold what the contact's data say: the log gets none of it.
    const failed = { status: 'FAILED', error: `Template error in ${problem}` } as const
    return this.settle(failed, 'A template failed; the message has the reason')
  }

  private async permitInTime(smtp: MailTransport, turn: AbortSignal): Promise<Permit | undefined> {
    const late = abortAfter(TURN_MS, 'No connection was free')
    try {
      return await smtp.permit(this.draft.workspaceId, AbortSignal.any([turn, late.signal]))
    } catch (error) {
      if (error === late.signal.reason) return undefined
      throw error
    } finally {
      late.forget()
    }
  }

  private async handOver(permit: Permit, content: Outgoing): Promise<SendResult> {
    const { leases, metrics } = this.dependencies
    const lease = leases.begin(this.attempt.claimId)
    const claimed: { as: 'no' | 'yes' | 'unknown'; id?: string | undefined } = { as: 'no' }
    let sentAt = performance.now()
    // Behind that somebody who was answered that nothing begins any more waits for nothing.
    const isYoung = () => performance.now() - sentAt < BEGIN_WITHIN_MS
    const begin = async () => {
      sentAt = performance.now()
      claimed.as = 'unknown'
      try {
        claimed.id = await this.attempt.claim({ status: 'SENDING' })
        claimed.as = claimed.id === undefined ? 'no' : 'yes'
        this.mayBeMailed ||= claimed.as === 'yes'
      } catch (error) {
        this.dependencies.log.warn({ error, ...this.attempt.ids }, 'An email could not be claimed')
        return false
      }
      lease.claimed(sentAt)
      return claimed.as === 'yes' && lease.holds() && isYoung()
    }
    try {
      const delivery = await permit.deliver(
        { ...content, html: content.trackedHtml, to: content.recipient },
        {
          begin,
          mayBeginAgain: () => lease.holds() && isYoung(),
          mayGoOn: () => lease.holds(),
          breakOff: lease.breakOff,
        },
      )
      if (claimed.id === undefined) return await this.unclaimed(delivery, claimed.as === 'unknown', content)
      const outcome = outcomeOf(delivery)
      // It comes again, and counts then; or it is certainly with nobody.
      if (outcome.status === 'DEFERRED' || outcome.status === 'FAILED') this.mayBeMailed = false
      await this.attempt.record(claimed.id, outcome, content)
      metrics.settled(outcome.status)
      warnOf(this.dependencies.log, outcome, { messageId: claimed.id, ...this.attempt.ids }, content)
      return this.resultOf(outcome)
    } finally {
      lease.end()
    }
  }

  /**
   * It was certainly not sent. A claim that may still be on its way has to be undone, or nobody could tell it from one that
   * was handed over.
   */
  private async putOff(reason: string, claimUnknown = false): Promise<SendResult> {
    const putOff = () => this.attempt.putOff(reason)
    if (claimUnknown) await untilDone(putOff)
    else await putOff()
    this.dependencies.metrics.settled('DEFERRED')
    return this.deferred(reason)
  }

  /** Nothing of the message has flowed, and no claim is ours. */
  private async unclaimed(delivery: Delivery, claimUnknown: boolean, content: Content): Promise<SendResult> {
    if (!claimUnknown) {
      if (delivery.kind === 'refused') return this.settle({ status: 'FAILED', error: tell(delivery.reason), content })
      if (delivery.kind === 'withdrawn') return again()
    }
    const reason = 'reason' in delivery ? tell(delivery.reason) : 'The database did not answer in time'
    return this.putOff(reason, claimUnknown)
  }

  /** Claims and settles in one statement what needs no hand-over. */
  private async settle(as: Exclude<ClaimAs, { status: 'SENDING' }>, inLog?: string): Promise<SendResult> {
    const { log, metrics } = this.dependencies
    const sound = 'error' in as ? { ...as, error: tell(as.error) } : as
    const messageId = await this.attempt.claim(sound)
    if (messageId === undefined) return again()
    metrics.settled(as.status)
    const told = inLog === undefined ? sound : { status: as.status, error: inLog }
    warnOf(log, told, { messageId, ...this.attempt.ids }, { recipient: this.draft.contact.email })
    return this.resultOf(as)
  }

  /** It is tried again later: its attempts count, and having waited for a turn is none. */
  private deferred(reason: string): SendResult {
    return { kind: 'deferred', reason, afterMs: Math.min(FIRST_RETRY_MS * 2 ** this.draft.attempts, LONGEST_RETRY_MS) }
  }

  private resultOf(outcome: { status: MessageStatus; error?: string }): SendResult {
    const { status } = outcome
    if (status === 'DEFERRED') return this.deferred(outcome.error ?? '')
    return { kind: 'settled', status, stop: status === 'FAILED' && this.draft.onSendFailure === 'STOP' }
  }
}

/** What the log says of an outcome that somebody may want to do something about. */
const WORTH_A_WARNING: Partial<Record<MessageStatus, string>> = {
  FAILED: 'An email has failed for good',
  UNCONFIRMED:
    'Nobody knows whether an email was sent, and it is not sent again by itself. Decide: npm run cli -- message list',
}

/** Logs it, with the server's words, and neither anybody's address nor what the email says. */
export function warnOf(
  log: Log,
  { status, error }: { status: MessageStatus; error?: string | undefined },
  ids: Record<string, string>,
  { recipient, subject }: { recipient?: string; subject?: string } = {},
): void {
  const words = WORTH_A_WARNING[status]
  if (words === undefined) return
  const reason = subject?.trim() ? error?.replaceAll(subject.trim(), '…') : error
  log.warn({ status, ...ids, ...(reason !== undefined && { reason: withoutAddresses(reason, recipient) }) }, words)
}

/** A test workspace acts on no real mailbox, whatever SMTP is configured; a live one does unless the installation captures. */
export const isDelivered = ({ workspaceMode, mail }: Pick<Draft, 'workspaceMode' | 'mail'>): boolean =>
  workspaceMode === 'live' && mail === 'smtp'

/** What is recorded of a delivery that was claimed. */
export function outcomeOf(delivery: Delivery): Outcome {
  switch (delivery.kind) {
    case 'taken':
      return { status: 'SENT', response: tell(delivery.response) }
    case 'refused':
      return { status: 'FAILED', error: tell(delivery.reason) }
    case 'unknown':
      return { status: 'UNCONFIRMED', error: tell(delivery.reason) }
    case 'not-sent':
      return { status: 'DEFERRED', error: tell(delivery.reason) }
    case 'withdrawn':
      return { status: 'DEFERRED', error: 'The claim was too late' }
  }
}

const MAX_WORDS = 2_000

/** A server's words as they can be kept, and shown on a terminal: whatever it says, it is text, and not a book. */
const tell = (words: string): string => withoutReturnPaths(forTerminal(words)).toWellFormed().slice(0, MAX_WORDS)
