import type { KeyObject } from 'node:crypto'

/** One email, ready to go. `to` is exactly one address: the envelope is written from it and from nothing else. */
export interface Email {
  from: string
  /** Where what cannot be delivered goes back to (RFC 5321, section 4.4); the sender's address where it is not said. */
  returnPath?: string | undefined
  replyTo?: string | undefined
  /** With what it is signed (RFC 6376). */
  dkim?: { domain: string; selector: string; privateKey: KeyObject } | undefined
  to: string
  messageId: string
  subject: string
  html: string | null
  text: string | null
  /** Besides those that every email has. Each value is one line of ASCII, and stands as it is. */
  headers?: Readonly<Record<string, string>>
}

/**
 * What a transport knows after trying:
 * - taken: the server has answered that it has the message
 * - not-sent: it certainly has not, and trying again may help (no connection, SMTP 4xx); `serverFailed` where that is not
 *   about this message
 * - refused: it certainly has not, and trying again will not help (SMTP 5xx); `doubt` where the server may have meant us and
 *   not this message: its answer, in words as `failure` has them
 * - withdrawn: it certainly has not, because `SendHooks.begin` said no
 * - unknown: the message had begun to flow, and no answer came
 *
 * A `reason` can hold the recipient's address. What failed of a server, `failure` says in words that hold nothing of the
 * message, for logs.
 */
export type Delivery =
  | { kind: 'taken'; response: string }
  | {
      kind: 'not-sent'
      reason: string
      serverFailed: boolean
      failure?: string
    }
  | { kind: 'refused'; reason: string; doubt?: string }
  | { kind: 'withdrawn' }
  | { kind: 'unknown'; reason: string; failure?: string }

export interface SendHooks {
  /**
   * Asked when the server waits for the message, before anything of it has flowed: whether it may. Whatever happened until
   * then, the server has nothing.
   */
  begin: () => Promise<boolean>
  /**
   * Asked in place of `begin` when another server waits for it that `begin` has let one server have, which has certainly not taken it: whether
   * it may still. Where it is not said, it may not.
   */
  mayBeginAgain?: () => boolean
  /**
   * Asked before each further part of a long message flows: whether it still may. A process can be stopped in the middle,
   * and a message whose end has not flowed is none.
   */
  mayGoOn?: () => boolean
  /** Breaks the hand-over off, wherever it is. */
  breakOff?: AbortSignal
}

/** The right to one of the transport's connections, for one email. */
export interface ConnectionSlot {
  /** Hands over one email, and gives the permit back. Never throws: whatever happens is one of the five. */
  deliver(email: Email, handOver: SendHooks): Promise<Delivery>
  /** Gives it back unused. */
  release(): void
}

export interface MailTransport {
  /**
   * A permit, if one is free within a moment and an email is a matter of seconds; `undefined` otherwise. Those who wait take
   * turns as below.
   */
  permitSoon(turn: string): Promise<ConnectionSlot | undefined>
  /**
   * Waits for a permit. Those who wait take turns by `turn` (a workspace, say), so that one with many keeps nobody waiting.
   * @throws {TransportClosed} when the transport is closing; the signal's reason when it is aborted
   */
  permit(turn: string, signal: AbortSignal): Promise<ConnectionSlot>
  /** Returns whether messages are not sent at the moment because the server failed. Only a circuit breaker knows. */
  isFailing?(): boolean
  /** Connects and logs in, and sends nothing. @returns why it could not, in the server's words where those are not about a login */
  tryConnection(): Promise<string | undefined>
  /** Gives out no permit any more; emails that are being handed over are finished. */
  drain(): void
  close(): Promise<void>
}

/** The process is stopping: another one will send it. */
export class TransportClosed extends Error {
  override readonly name = 'TransportClosed'
}
