import { addressOf, inAscii, isEmailAddress, withoutAddresses } from '../platform/email-address.ts'
import { ConnectionSlots } from './connection-slots.ts'
import { createConnections, hasCode, nextTurn, settled, type Connection } from './smtp-connections.ts'
import { buildMime, Message } from './smtp-message.ts'
import {
  classify,
  failureOf,
  isAboutMessage,
  outOfStep,
  reasonOf,
  withFailure,
  withoutLogin,
  wordsWithoutLogin,
  type SmtpError,
} from './classify-response.ts'
import type { SmtpServer } from './smtp-url.ts'
import type { Delivery, Email, SendHooks, MailTransport, ConnectionSlot } from './transport.ts'

export interface SmtpOptions {
  server: SmtpServer
  /** Connections at most. */
  maxConnections?: number
  /**
   * Milliseconds without a sign of life from the server, or from a message's first byte to the answer, before a connection is
   * given up. A server may think for ten minutes over a message that it has (RFC 5321, section 4.5.3.2.6).
   */
  timeoutMs?: number
  /** The same over a connection that was kept from an earlier message: its server may have gone without a word. */
  keptEnvelopeMs?: number
}

/**
 * How long it may take until it waits for a message that it is told of, in milliseconds: as long as one of the commands
 * until there (RFC 5321, section 4.5.3.2). A sign of life now and then is no progress.
 */
const ENVELOPE_MS = 300_000
/** The same over a kept connection: after it, a new one is tried, and has all the time. */
const KEPT_ENVELOPE_MS = 30_000
/** The server waits for the message (RFC 5321, section 3.3). */
const GO_AHEAD = '354'
/** So many characters of a server's words about a connection are told to the log. */
const MAX_OF_FAILURE = 300
/** A server that takes longer than this for a message is left to the queue: a local activity has seconds. */
const SLOW_MS = 3_000
/**
 * How long an email waits for a connection before it is left to the queue, in milliseconds: it keeps a slot of its worker
 * meanwhile. Most connections are free again in no time, and an email that goes by the queue costs Temporal three times as much.
 */
const SOON_MS = 500

/**
 * Mail over SMTP, by connections of its own: a message is claimed when its server waits for it (354), so that whatever is
 * claimed has a connection, and what has not begun to flow has certainly not been sent.
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
  let usualMs = 0

  /** @param release called when the connection is free again: the answer does not wait for that. */
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
    if (!isEmailAddress(email.to)) return { kind: 'refused', reason: 'The address is not one email address' }
    let raw: Buffer
    try {
      raw = await buildMime(email)
    } catch (error) {
      return { kind: 'refused', reason: `The message cannot be written: ${(error as Error).message}` }
    }
    let mayBeKept = true
    for (;;) {
      const kept = mayBeKept ? connections.takeIdle() : undefined
      // What came with the answer to its last message ends it in this turn.
      if (kept) await nextTurn()
      if (kept && !connections.isOpen(kept)) continue
      const message = new Message(raw, handOver)
      try {
        const connection = kept ?? (await connections.connect())
        const delivery = await send(connection, email, message, kept !== undefined)
        if (delivery.kind === 'taken') connections.keep(connection)
        else if (isAboutMessage(delivery) && connections.isOpen(connection)) clearLater(connection)
        else connections.cut(connection)
        // A server may close a connection that it finds idle, or be gone: that is no word about this message. Whoever has asked
        // whether it may flow has one answer to come, and does not ask twice.
        const isStale = kept && delivery.kind === 'not-sent' && delivery.serverFailed && message.state === 'waiting'
        if (!isStale) return delivery
        mayBeKept = false
      } catch (error) {
        // Nobody has told the server of the message yet: its words are about the connection or the login.
        const failure = wordsOf(error as SmtpError, server)
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
        to: [inAscii(email.to)],
        size: message.raw.length,
      }
      const mayBegin = () => {
        if (!hasCode(connection.lastServerResponse, GO_AHEAD)) return false
        // It has answered: what the claim takes now is not its time.
        onBegin()
        return true
      }
      const { response } = await settled<{ response?: string }>(connection, (done) =>
        connection.send(envelope, message.stream(mayBegin, stop, onBegin), (error, info) => {
          done(error, info)
          message.answered(error as SmtpError | null, stop)
        }),
      )
      if (message.isOutOfStep()) return outOfStep()
      usualMs = usualMs * 0.7 + (performance.now() - started) * 0.3
      const words = response ?? ''
      // nodemailer looks at the first digit alone.
      return /^2\d\d(?!\d)/.test(words)
        ? { kind: 'taken', response: words }
        : withFailure({ kind: 'unknown', reason: words }, failureOf({ response: words, command: 'DATA' }))
    } catch (error) {
      if (message.state === 'withdrawn') return { kind: 'withdrawn' }
      if (message.isOutOfStep()) return outOfStep()
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
      if (usualMs >= SLOW_MS) return undefined
      try {
        return permit(await slots.take(turn, AbortSignal.timeout(SOON_MS)))
      } catch {
        return undefined
      }
    },
    async permit(turn, signal) {
      return permit(await slots.take(turn, signal))
    },
    async tryConnection() {
      try {
        connections.leave(await connections.connect())
        return undefined
      } catch (error) {
        const { code, response } = error as SmtpError
        // Whoever asks is the operator, who wants to know what is wrong with the login.
        return code === 'EAUTH' && response !== undefined
          ? withoutAddresses(wordsWithoutLogin(response, server).slice(0, MAX_OF_FAILURE))
          : wordsOf(error as SmtpError, server)
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
 * What is told of a connection that could not be made. To a login the server can repeat who logs in, and later to anybody: of that
 * only the codes.
 */
function wordsOf(error: SmtpError, server: SmtpServer): string {
  const words = error.response ?? error.message
  return error.duringLogin || error.code === 'EAUTH'
    ? failureOf(error)
    : wordsWithoutLogin(words, server).slice(0, MAX_OF_FAILURE)
}
