import type { KeyObject } from 'node:crypto'
import type { ProviderPace } from './provider-pace.ts'

/** A file that is sent with an email. */
export interface Attachment {
  filename: string
  /** A MIME type with its parameters, such as `application/pdf` or `text/calendar; method=REQUEST`. */
  contentType: string
  /** For a picture in the HTML (`cid:`); `null` if it has none. */
  contentId: string | null
  /** How mail clients show it: see `roleOf`. */
  disposition: 'attachment' | 'inline' | null
  content: Buffer
}

/** An email that is ready to send. `to` is exactly one address, and the only recipient of the envelope. */
export interface Email {
  from: string
  /** Address for bounces (RFC 5321, section 4.4); defaults to the sender's address. */
  returnPath?: string | undefined
  replyTo?: string | undefined
  /** DKIM key (RFC 6376). */
  dkim?: { domain: string; selector: string; privateKey: KeyObject } | undefined
  to: string
  messageId: string
  subject: string
  html: string | null
  text: string | null
  /**
   * Additional headers. Each value is one line of ASCII and is written verbatim. `To` and `Cc` are the visible recipients, with names
   * in any language, and `Message-ID` replaces `messageId`: see `visibleHeaders` in src/emails/submission.ts.
   */
  headers?: Readonly<Record<string, string>>
  attachments?: readonly Attachment[]
}

/**
 * Outcome of a delivery:
 * - taken: the server accepted the message
 * - not-sent: certainly not sent, and a retry may help (no connection, SMTP 4xx). `serverFailed` if the cause is not this
 *   message; `isTooFast` if the recipient's provider gets too much mail at a time.
 * - refused: certainly not sent, and a retry will not help (SMTP 5xx). `doubt` has the response if the server may have rejected
 *   the sender and not this message.
 * - withdrawn: certainly not sent, because `SendHooks.begin` returned `false`
 * - unknown: transmission had begun, and no response came
 *
 * `reason` may contain the recipient's address. `failure` describes an error of the server for logs, without data of the message.
 */
export type Delivery =
  | { kind: 'taken'; response: string }
  | {
      kind: 'not-sent'
      reason: string
      serverFailed: boolean
      isTooFast?: true
      failure?: string
    }
  | { kind: 'refused'; reason: string; doubt?: string }
  | { kind: 'withdrawn' }
  | { kind: 'unknown'; reason: string; failure?: string }

export interface SendHooks {
  /** Called when the server is ready for the message and has not received any of it. Returns whether it may be sent. */
  begin: () => Promise<boolean>
  /**
   * Called instead of `begin` when another server waits for the message, after the first server certainly did not accept it.
   * Returns whether the message may still be sent. Defaults to `false`.
   */
  mayBeginAgain?: () => boolean
  /**
   * Called before each further part of a long message. Returns whether it may continue. A process can stop in the middle of a
   * message, because servers discard incomplete messages.
   */
  mayGoOn?: () => boolean
  /** Aborts the delivery at any point. */
  breakOff?: AbortSignal
}

/** The right to use one of the transport's connections for one email. */
export interface ConnectionSlot {
  /** Delivers one email and releases the slot. Never throws: errors are outcomes. */
  deliver(email: Email, handOver: SendHooks): Promise<Delivery>
  /** Releases the slot unused. */
  release(): void
}

export interface MailTransport {
  /**
   * Waits briefly for a slot. Returns `undefined` if none becomes free, or if the server takes too long per email. Shares slots
   * fairly like `permit`.
   */
  permitSoon(turn: string): Promise<ConnectionSlot | undefined>
  /**
   * Waits for a slot. Slots are shared fairly by `turn`, such as a workspace, so that one with many emails does not delay the
   * others.
   * @throws {TransportClosed} if the transport is closing; the signal's reason if it is aborted
   */
  permit(turn: string, signal: AbortSignal): Promise<ConnectionSlot>
  /** The rates of providers that get mail too fast. Implemented by `withProviderPace` only. */
  pace?: ProviderPace
  /** Returns whether messages are currently deferred because the server failed. Implemented by the circuit breaker only. */
  isFailing?(): boolean
  /** Milliseconds that the server usually takes for a message; `undefined` before the first one. Includes the claim. */
  usualMs?(): number | undefined
  /** Connects and logs in without sending. @returns the error, if any */
  tryConnection(): Promise<string | undefined>
  /** Grants no more slots. Emails in flight are completed. */
  drain(): void
  close(): Promise<void>
}

/** Error for a stopping process. Another process will send the email. */
export class TransportClosed extends Error {
  override readonly name = 'TransportClosed'
}
