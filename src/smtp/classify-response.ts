import { codesOf, isRateRejection, rejectionScopeOf } from './answers.ts'
import { secretsOf, type SmtpServer } from './smtp-url.ts'
import type { Delivery } from './transport.ts'

/** Fields of nodemailer's errors that show how far the session got. */
export interface SmtpError extends Error {
  code?: string
  /** The rejected command. */
  command?: string
  responseCode?: number
  response?: string
  /** The credentials were already sent, so later responses may repeat them. */
  duringLogin?: boolean
}

export const OUT_OF_SYNC = 'The mail server’s responses do not match the commands'

/** Result for a session whose responses are out of step. The message was not completed, so it is certainly not sent. */
export const outOfSyncDelivery = (): Delivery => ({
  kind: 'not-sent',
  serverFailed: true,
  reason: OUT_OF_SYNC,
  failure: OUT_OF_SYNC,
})

/** The server is shutting down. It can respond with this to any command (RFC 5321, section 4.2.3). */
const SHUTTING_DOWN = 421

/**
 * Checks whether the server rejected the command (RFC 5321, section 4.2.1). A shutdown is not a rejection, because the server may
 * send it while it stores the complete message. Undefined codes are not rejections either.
 */
export const isRefusal = ({ responseCode = 0 }: SmtpError): boolean =>
  responseCode >= 400 && responseCode < 600 && responseCode !== SHUTTING_DOWN

/**
 * Classifies the error that a delivery ended with. A rejection is certain at any stage (RFC 5321, section 4.2.1). Without one,
 * the result depends on whether transmission of the message had begun. Only a 5xx rejects the message. Rejections of the sender
 * are retried until the operator fixes the cause.
 */
export function classify(error: SmtpError, hasFlowed: boolean): Delivery {
  const reason = error.response ?? error.message
  const { code, command = '', responseCode = 0, response } = error
  const isOfMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  // Not a shutdown, even with 421: a provider closes the connection on which mail came too fast. The command may be unknown then.
  const isRejected = isOfMessage || (responseCode === SHUTTING_DOWN && !hasFlowed)
  const isTooFast = isRejected && response !== undefined && isRateRejection(command, response)
  if (hasFlowed && !(code === 'EMESSAGE' && (isRefusal(error) || isTooFast))) return { kind: 'unknown', reason }
  // nodemailer rejected the message itself, for example because it exceeds the server's limit.
  if (isOfMessage && response === undefined) return { kind: 'refused', reason }
  if (isTooFast) return { kind: 'not-sent', reason, serverFailed: false, isTooFast }
  if (!isOfMessage || !isRefusal(error)) return { kind: 'not-sent', reason, serverFailed: true }
  const about = rejectionScopeOf(command, reason)
  if (about === 'us') return { kind: 'not-sent', reason, serverFailed: true }
  if (responseCode < 500) return { kind: 'not-sent', reason, serverFailed: false }
  return about === 'message' ? { kind: 'refused', reason } : { kind: 'refused', reason, doubt: failureOf(error) }
}

export const withFailure = (delivery: Delivery, failure: string): Delivery =>
  delivery.kind === 'unknown' || (delivery.kind === 'not-sent' && delivery.serverFailed)
    ? { ...delivery, failure }
    : delivery

/** Describes an error for logs. Contains only the codes of a response, because its text may contain addresses. */
export const failureOf = ({ response, command, message }: Partial<SmtpError>): string =>
  response === undefined
    ? (message ?? '')
    : `The server responded with ${codesOf(response)} to ${command ?? 'a message'}`

/** Describes a failed connection for the message's reason. Contains no credentials or addresses, which a server may repeat. */
export const reasonOf = ({ response, command, code }: SmtpError): string =>
  response === undefined
    ? `The mail server cannot be reached (${code ?? 'no response'})`
    : failureOf({ response, command: command ?? 'the connection' })

/** Removes credentials from a text. */
export const removeLogin = (text: string, server: SmtpServer): string =>
  secretsOf(server).reduce((rest, secret) => rest.replaceAll(secret, '…'), text)

/** Removes credentials from a server's response. Some servers name the login when they reject a sender or a recipient. */
export function withoutLogin(delivery: Delivery, server: SmtpServer): Delivery {
  const clean = (text: string) => removeLogin(text, server)
  if (delivery.kind === 'taken') return { ...delivery, response: clean(delivery.response) }
  return 'reason' in delivery ? { ...delivery, reason: clean(delivery.reason) } : delivery
}

export const isAboutMessage = (delivery: Delivery): boolean =>
  delivery.kind === 'refused' || (delivery.kind === 'not-sent' && !delivery.serverFailed && !delivery.isTooFast)
