import { setTimeout as delay } from 'node:timers/promises'
import pMap from 'p-map'
import { isDelivered } from '../instance/index.ts'
import {
  MAX_TURN_WAIT_MS,
  postponeMessages,
  type Prepared,
  type SendDependencies,
  Sending,
  variablesOf,
} from '../messages/index.ts'
import type { RenderedEmail, TemplateProblem } from '../rendering/index.ts'
import { ClaimedGroups } from './claim-ahead.ts'
import { RenderAhead, type RenderTask } from './render-ahead.ts'

/** Seconds before a deferred recipient is tried again: initially and at most. */
const FIRST_PAUSE_SECONDS = 5
const MAX_PAUSE_SECONDS = 300
/** Milliseconds of sending for which messages are claimed at once, and their maximum number. */
const CLAIMED_FOR_MS = 250
const MAX_CLAIMED_AT_ONCE = 25
/** Milliseconds for which a page sends to providers that get mail too fast if it has nothing for others. */
const LIMITED_MS = 1_000

export interface AdvanceDependencies extends SendDependencies {
  /** Maximum number of emails transmitted at a time. */
  connections: number
}

/** Result of a page. */
export interface PageResult {
  /** Recipients that were processed, with any outcome, or postponed. */
  tried: number
  /** Those of them for whom a mail server was contacted. */
  mailed: number
  /** Those of them to whom an email was or may have been sent. */
  begun: number
  /** Whether this process cannot send at all. */
  isHeld: boolean
  /** Milliseconds until the sender's warm-up allows more. */
  warmsUpForMs?: number
}

export interface TransmissionLimits {
  turn: AbortSignal
  /** The end of the turn, in `performance.now()`. Messages not started by then are left for the next turn. */
  until: number
}

/**
 * Transmits a page of a campaign's messages. Those to a provider that gets mail too fast are sent in its turns, while the others
 * are sent as fast as the mail server takes them. What gets no turn is due later.
 */
export class Transmission {
  private readonly dependencies: AdvanceDependencies
  private readonly limits: TransmissionLimits
  private readonly sent: PageResult
  private readonly postponed: Prepared[] = []

  /** @param sent counts the messages */
  constructor(dependencies: AdvanceDependencies, limits: TransmissionLimits, sent: PageResult) {
    this.dependencies = dependencies
    this.limits = limits
    this.sent = sent
  }

  async sendAll(messages: readonly Prepared[]): Promise<void> {
    const byProvider = Map.groupBy(messages, (message) => this.limitedProviderOf(message))
    const others = byProvider.get(undefined) ?? []
    byProvider.delete(undefined)
    const limitedUntil = performance.now() + LIMITED_MS
    let isSendingOthers = others.length > 0
    const mayGoOn = () => isSendingOthers || (others.length === 0 && performance.now() < limitedUntil)
    try {
      const parts = [
        () => this.sendUnlimited(others).finally(() => (isSendingOthers = false)),
        ...[...byProvider].map(
          ([provider, own]) =>
            () =>
              this.sendInTurns(own, provider!, mayGoOn),
        ),
      ]
      // If one fails, the others still finish, so that their emails are counted.
      await pMap(parts, (send) => send(), { stopOnError: false })
    } finally {
      await this.postpone()
    }
  }

  private async sendUnlimited(messages: readonly Prepared[]): Promise<void> {
    const { turn, until } = this.limits
    const { connections } = this.dependencies
    const emails = inContents(messages)
    const claimed = new ClaimedGroups(emails, this.renderAhead(emails), {
      sendingOf: (message) => this.sendingOf(message),
      // A message that was tried before may have a slow server, which would not wait for it in time.
      isToClaim: (message) =>
        message.attempts === 0 && isDelivered(message) && this.limitedProviderOf(message) === undefined,
      atOnce: () => this.claimedAtOnce(),
    })
    try {
      await pMap(
        emails,
        async ({ item: message }, n) => {
          // The first ones start in any case.
          if (turn.aborted || (n >= connections && performance.now() > until)) return
          const { sending, email } = await claimed.take(n)
          // The provider may have limited an earlier one of these.
          const isLimited = this.limitedProviderOf(message) !== undefined
          if (email !== undefined && !turn.aborted && !isLimited) return this.transmit(sending, email)
          await Sending.release([sending])
          if (isLimited) this.postponed.push(message)
        },
        // If one fails, for example because the process is asked to stop, the others still finish.
        { concurrency: Math.max(connections * 2, 4), stopOnError: false },
      )
    } finally {
      await claimed.close()
    }
  }

  /** Returns how many messages all connections usually take in a moment, so that a request that stops the campaign does not wait for long. */
  private claimedAtOnce(): number {
    const usualMs = this.dependencies.smtp?.usualMs?.()
    if (usualMs === undefined) return 0
    const count = Math.floor((this.dependencies.connections * CLAIMED_FOR_MS) / Math.max(usualMs, 1))
    return count > this.dependencies.connections ? Math.min(count, MAX_CLAIMED_AT_ONCE) : 0
  }

  private sendingOf(message: Prepared): Sending {
    const pauseSeconds = Math.min(FIRST_PAUSE_SECONDS * 2 ** message.attempts, MAX_PAUSE_SECONDS)
    return new Sending(this.dependencies, message, pauseSeconds)
  }

  private async sendInTurns(messages: readonly Prepared[], provider: string, mayGoOn: () => boolean): Promise<void> {
    const emails = inContents(messages)
    const rendered = this.renderAhead(emails)
    const started: Promise<void>[] = []
    try {
      for (const [n, { item: message }] of emails.entries()) {
        const waitMs =
          mayGoOn() && !this.limits.turn.aborted
            ? this.dependencies.smtp!.pace!.take(provider, MAX_TURN_WAIT_MS)
            : undefined
        if (waitMs === undefined) break
        const [email] = await Promise.all([rendered.take(n), delay(waitMs)])
        if (email === undefined) break
        const sending = this.transmit(this.sendingOf(message), email)
        // Thrown below.
        sending.catch(() => undefined)
        started.push(sending)
      }
      this.postponed.push(...emails.slice(started.length).map(({ item }) => item))
    } finally {
      await Promise.allSettled(started)
    }
    await Promise.all(started)
  }

  private async transmit(sending: Sending, email: RenderedEmail | TemplateProblem): Promise<void> {
    const { sent } = this
    try {
      const { kind } = await sending.sendRendered(email, { turn: this.limits.turn })
      if (kind === 'queue') return
      sent.tried += 1
      sent.mailed += 1
    } finally {
      if (sending.mayBeSent) sent.begun += 1
    }
  }

  private async postpone(): Promise<void> {
    const { em, smtp } = this.dependencies
    const later = this.postponed.map((message) => {
      const provider = this.limitedProviderOf(message)
      return { id: message.id, dueInSeconds: provider === undefined ? 0 : smtp!.pace!.later(provider) / 1_000 }
    })
    if (later.length > 0) await postponeMessages(em.fork(), later)
    this.sent.tried += later.length
  }

  private limitedProviderOf(message: Prepared): string | undefined {
    return isDelivered(message) ? this.dependencies.smtp?.pace?.limitedProviderOf(message.contact.email) : undefined
  }

  /** Renders the next emails while some are transmitted. */
  private renderAhead(emails: readonly RenderTask<Prepared>[]): RenderAhead<Prepared> {
    return new RenderAhead(this.dependencies.renderer, emails, {
      owner: emails[0]?.item.workspaceId ?? '',
      variablesOf: (message) => variablesOf(this.dependencies, message),
    })
  }
}

const inContents = (messages: readonly Prepared[]): RenderTask<Prepared>[] =>
  [...Map.groupBy(messages, ({ content }) => content)].flatMap(([content, of]) => of.map((item) => ({ item, content })))
