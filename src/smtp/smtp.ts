import { addressOf, toAsciiAddress, isEmailAddress, withoutAddresses } from '../platform/email-address.ts'
import { ConnectionSlots } from './connection-slots.ts'
import { createConnections, hasCode, nextTurn, waitForCallback, type Connection } from './smtp-connections.ts'
import { buildMime, Message } from './smtp-message.ts'
import {
  classify,
  failureOf,
  isAboutMessage,
  outOfSyncDelivery,
  reasonOf,
  withFailure,
  withoutLogin,
  removeLogin,
  type SmtpError,
} from './classify-response.ts'
import type { SmtpServer } from './smtp-url.ts'
import type { Delivery, Email, SendHooks, MailTransport, ConnectionSlot } from './transport.ts'

export interface SmtpOptions {
  server: SmtpServer
  /** Maximum number of connections. */
  maxConnections?: number
  /**
   * Milliseconds without data from the server, or from a message's first byte to the response, before a connection is closed. A
   * server may take ten minutes to respond to a message (RFC 5321, section 4.5.3.2.6).
   */
  timeoutMs?: number
  /** Limit of `ENVELOPE_MS` over a reused connection, whose server may have disappeared unnoticed. */
  keptEnvelopeMs?: number
}

/**
 * Maximum time from MAIL until the server waits for the message: the limit of a single command in between (RFC 5321, section
 * 4.5.3.2), even if the server sends data now and then.
 */
const ENVELOPE_MS = 300_000
/** Shorter limit for a reused connection. After it, a new connection is tried with the full time. */
const KEPT_ENVELOPE_MS = 30_000
/** The server waits for the message (RFC 5321, section 3.3). */
const GO_AHEAD = '354'
/** Maximum characters of a server's response in the log. */
const MAX_FAILURE_LENGTH = 300
/** If the server takes longer than this per message, messages go through the queue: a local activity has only seconds. */
const SLOW_MS = 3_000
/**
 * Maximum time that an email waits for a connection before it goes through the queue. It occupies a worker slot in the meantime.
 * Most connections are free again quickly, and an email in the queue costs Temporal three times as much.
 */
const SOON_MS = 500

/**
 * Creates a transport over SMTP. A message is claimed when the server waits for it (354), so that every claimed message has a
 * connection, and a message whose transmission has not begun was certainly not sent.
 */
export function createSmtpTransport({
  server,
  maxConnections = 5,
  timeoutMs = 600_000,
  keptEnvelopeMs = KEPT_ENVELOPE_MS,
}: SmtpOptions): MailTransport {
  const slots = new ConnectionSlots(maxConnections)
  const connections = createConnections(server, timeoutMs)
  /** Milliseconds that the server recently took for a message: a moving average. */
  let usualMs: number | undefined

  const countTime = (started: number) => {
    const tookMs = performance.now() - started
    usualMs = usualMs === undefined ? tookMs : usualMs * 0.7 + tookMs * 0.3
  }

  /** Delivers an email. @param release called when the connection is free again, possibly after the result */
  async function deliver(email: Email, handOver: SendHooks, release: () => void): Promise<Delivery> {
    let after: Promise<void> | undefined
    try {
      const delivery = await tryConnections(email, handOver, (connection) => {
        after = connections.clear(connection)
      })
      return withoutLogin(delivery, server)
    } finally {
      if (after) void after.then(release)
      else release()
    }
  }

  async function tryConnections(
    email: Email,
    handOver: SendHooks,
    clearLater: (connection: Connection) => void,
  ): Promise<Delivery> {
    // nodemailer reads an envelope's address as a list: a comma or a line break in it would add recipients.
    if (!isEmailAddress(email.to)) return { kind: 'refused', reason: 'The recipient is not a single email address' }
    let raw: Buffer
    try {
      raw = await buildMime(email)
    } catch (error) {
      return { kind: 'refused', reason: `The message cannot be built: ${(error as Error).message}` }
    }
    let mayBeKept = true
    for (;;) {
      const kept = mayBeKept ? connections.takeIdle() : undefined
      // A surplus response to its last message closes it in this turn.
      if (kept) await nextTurn()
      if (kept && !connections.isOpen(kept)) continue
      const message = new Message(raw, handOver)
      try {
        const connection = kept ?? (await connections.connect())
        const delivery = await send(connection, email, message, kept !== undefined)
        if (delivery.kind === 'taken') connections.keep(connection)
        else if (isAboutMessage(delivery) && connections.isOpen(connection)) clearLater(connection)
        else connections.cut(connection)
        // The server may have closed the idle connection, which says nothing about this message. Retry only if `begin` was not
        // called, because it must not be called twice.
        const isStale = kept && delivery.kind === 'not-sent' && delivery.serverFailed && message.state === 'waiting'
        if (!isStale) return delivery
        mayBeKept = false
      } catch (error) {
        // The server does not know the message yet, so the error is about the connection or the login.
        const failure = describe(error as SmtpError, server)
        const reason = reasonOf(error as SmtpError)
        return { kind: 'not-sent', serverFailed: true, reason, failure }
      }
    }
  }

  async function send(connection: Connection, email: Email, message: Message, wasKept: boolean): Promise<Delivery> {
    const started = performance.now()
    const stop = () => connections.cut(connection)
    connections.beginAnew(connection)
    const envelopeMs = Math.min(timeoutMs, wasKept ? keptEnvelopeMs : ENVELOPE_MS)
    let late = setTimeout(stop, envelopeMs)
    const onBegin = () => {
      clearTimeout(late)
      late = setTimeout(stop, timeoutMs)
    }
    message.handOver.breakOff?.addEventListener('abort', stop, { once: true })
    try {
      message.handOver.breakOff?.throwIfAborted()
      const envelope = {
        from: email.returnPath ?? addressOf(email.from),
        to: [toAsciiAddress(email.to)],
        size: message.raw.length,
      }
      if (needsSmtpUtf8(envelope, message.raw) && !supportsSmtpUtf8(connection))
        return { kind: 'refused', reason: NO_SMTPUTF8 }
      const mayBegin = () => {
        if (!hasCode(connection.lastServerResponse, GO_AHEAD)) return false
        // The server has responded, so the time of the claim does not count.
        onBegin()
        return true
      }
      const { response } = await waitForCallback<{ response?: string }>(connection, (done) =>
        connection.send(envelope, message.stream(mayBegin, stop, onBegin), (error, info) => {
          done(error, info)
          message.answered(error as SmtpError | null, stop)
        }),
      )
      if (message.isOutOfStep()) return outOfSyncDelivery()
      countTime(started)
      const text = response ?? ''
      // nodemailer checks only the first digit.
      return /^2\d\d(?!\d)/.test(text)
        ? { kind: 'taken', response: text }
        : withFailure({ kind: 'unknown', reason: text }, failureOf({ response: text, command: 'DATA' }))
    } catch (error) {
      if (message.state === 'withdrawn') {
        // The claim may have become too old because the server was slow.
        countTime(started)
        return { kind: 'withdrawn' }
      }
      if (message.isOutOfStep()) return outOfSyncDelivery()
      return withFailure(classify(error as SmtpError, message.hasFlowed()), failureOf(error as SmtpError))
    } finally {
      clearTimeout(late)
      message.handOver.breakOff?.removeEventListener('abort', stop)
    }
  }

  const permit = (release: () => void): ConnectionSlot => ({
    release,
    deliver: (email, handOver) => deliver(email, handOver, release),
  })

  return {
    async permitSoon(turn) {
      if (usualMs !== undefined && usualMs >= SLOW_MS) return undefined
      try {
        return permit(await slots.take(turn, AbortSignal.timeout(SOON_MS)))
      } catch {
        return undefined
      }
    },
    async permit(turn, signal) {
      return permit(await slots.take(turn, signal))
    },
    usualMs: () => usualMs,
    async tryConnection() {
      try {
        connections.leave(await connections.connect())
        return undefined
      } catch (error) {
        const { code, response } = error as SmtpError
        // The operator needs the reason for a failed login.
        return code === 'EAUTH' && response !== undefined
          ? withoutAddresses(removeLogin(response, server).slice(0, MAX_FAILURE_LENGTH))
          : describe(error as SmtpError, server)
      }
    },
    drain: () => slots.close(),
    close() {
      slots.close()
      connections.cutAll()
      return Promise.resolve()
    },
  }
}

/**
 * Describes a failed connection for the log. Contains only the codes if the login had begun, because the server may repeat the
 * credentials.
 */
function describe(error: SmtpError, server: SmtpServer): string {
  const text = error.response ?? error.message
  return error.duringLogin || error.code === 'EAUTH'
    ? failureOf(error)
    : removeLogin(text, server).slice(0, MAX_FAILURE_LENGTH)
}

const NO_SMTPUTF8 =
  'The mail server does not support addresses with characters outside of ASCII before the @ (SMTPUTF8, RFC 6531)'
const NOT_ASCII = /[\u0080-\u{10ffff}]/u

/** Whether the addresses of a message, in its envelope or its headers, have characters outside of ASCII. Names are encoded. */
function needsSmtpUtf8({ from, to }: { from: string; to: readonly string[] }, raw: Buffer): boolean {
  const end = raw.indexOf('\r\n\r\n')
  return [from, ...to].some((address) => NOT_ASCII.test(address)) || raw.subarray(0, end).some((byte) => byte > 127)
}

/** The extensions that nodemailer read from the response to EHLO. */
const supportsSmtpUtf8 = (connection: Connection): boolean =>
  (connection as unknown as { _supportedExtensions: readonly string[] })._supportedExtensions.includes('SMTPUTF8')
