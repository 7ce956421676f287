import { aboutOf, codesOf } from './answers.ts'
import { secretsOf, type SmtpServer } from './smtp-url.ts'
import type { Delivery } from './transport.ts'

/** The part of nodemailer's errors that tells how far the conversation got. */
export interface SmtpError extends Error {
  code?: string
  /** What the server was asked when it said no. */
  command?: string
  responseCode?: number
  response?: string
  /** Whether who logs in, and with what, had been told by then: all that the server says since can repeat it. */
  duringLogin?: boolean
}

export const OUT_OF_STEP = 'The answers of the mail server are out of step with what it is asked'

/** Whatever it says to what: the message has no end there, and is tried over another connection later. */
export const outOfStep = (): Delivery => ({
  kind: 'not-sent',
  serverFailed: true,
  reason: OUT_OF_STEP,
  failure: OUT_OF_STEP,
})

/** The server closes, whatever it was asked at that moment (RFC 5321, section 4.2.3). */
const SHUTTING_DOWN = 421

/**
 * Whether the server says of what it was asked that it has not done it. Nothing else says so (RFC 5321, section 4.2.1): not
 * that it closes, which it can say while it stores a message that it has whole, and no code that there is not.
 */
export const isRefusal = ({ responseCode = 0 }: SmtpError): boolean =>
  responseCode >= 400 && responseCode < 600 && responseCode !== SHUTTING_DOWN

/**
 * What became of a message by the error that its hand-over ended with. A refusal is final at any stage (RFC 5321, section 4.2.1); without one, it depends on whether the message had begun. Only a
 * 5xx refuses the message. What is about us waits until the operator has mended it.
 */
export function classify(error: SmtpError, hasFlowed: boolean): Delivery {
  const reason = error.response ?? error.message
  const { code, command = '', responseCode = 0, response } = error
  const isOfMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  if (hasFlowed && !(code === 'EMESSAGE' && isRefusal(error))) return { kind: 'unknown', reason }
  // nodemailer did not even ask: it is longer than the server takes, say.
  if (isOfMessage && response === undefined) return { kind: 'refused', reason }
  if (!isOfMessage || !isRefusal(error)) return { kind: 'not-sent', reason, serverFailed: true }
  const about = aboutOf(command, reason)
  if (about === 'us') return { kind: 'not-sent', reason, serverFailed: true }
  if (responseCode < 500) return { kind: 'not-sent', reason, serverFailed: false }
  return about === 'message' ? { kind: 'refused', reason } : { kind: 'refused', reason, doubt: failureOf(error) }
}

export const withFailure = (delivery: Delivery, failure: string): Delivery =>
  delivery.kind === 'unknown' || (delivery.kind === 'not-sent' && delivery.serverFailed)
    ? { ...delivery, failure }
    : delivery

/** An answer to what was asked for a message can repeat its addresses: of that, only the codes are told. */
export const failureOf = ({ response, command, message }: Partial<SmtpError>): string =>
  response === undefined ? (message ?? '') : `It answered ${codesOf(response)} to ${command ?? 'a message'}`

/**
 * What is said to whoever has the message of a server that took no message: nothing of a login, which a server may repeat, nor
 * of an address within.
 */
export const reasonOf = ({ response, command, code }: SmtpError): string =>
  response === undefined
    ? `The mail server cannot be reached (${code ?? 'it does not answer'})`
    : failureOf({ response, command: command ?? 'the connection' })

/** Words without what stands in them word for word of the login. */
export const wordsWithoutLogin = (words: string, server: SmtpServer): string =>
  secretsOf(server).reduce((text, secret) => text.replaceAll(secret, '…'), words)

/** A server's words without the login: some name who logs in when they refuse a sender or a recipient, and one can repeat all of it. */
export function withoutLogin(delivery: Delivery, server: SmtpServer): Delivery {
  const clean = (words: string) => wordsWithoutLogin(words, server)
  if (delivery.kind === 'taken') return { ...delivery, response: clean(delivery.response) }
  return 'reason' in delivery ? { ...delivery, reason: clean(delivery.reason) } : delivery
}

export const isAboutMessage = (delivery: Delivery): boolean =>
  delivery.kind === 'refused' || (delivery.kind === 'not-sent' && !delivery.serverFailed)
