/** One email, ready to go. `to` is exactly one address: the envelope is written from it and from nothing else. */
export interface Email {
  from: string
  to: string
  messageId: string
  subject: string
  html: string | null
  text: string | null
}

/**
 * What a transport knows after trying:
 * - taken: the server has answered that it has the message
 * - not-sent: it certainly has not, and trying again may help (no connection, SMTP 4xx); `serverFailed` where that is not
 *   about this message
 * - refused: it certainly has not, and trying again will not help (SMTP 5xx)
 * - unknown: the connection broke after the message began to flow, before the answer
 */
export type Delivery =
  | { kind: 'taken'; response: string }
  | { kind: 'not-sent'; reason: string; serverFailed: boolean }
  | { kind: 'refused'; reason: string }
  | { kind: 'unknown'; reason: string }

export interface MailTransport {
  /** Hands over one email. Never throws: whatever happens is one of the four. */
  deliver(email: Email): Promise<Delivery>
  close(): Promise<void>
}
