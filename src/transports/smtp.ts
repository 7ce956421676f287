import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { domainToASCII } from 'node:url'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { isEmailAddress } from '../platform/email-address.ts'
import { aboutOf, codesOf } from './answers.ts'
import { Permits } from './permits.ts'
import type { SmtpServer } from './smtp-url.ts'
import type { Delivery, Email, HandOver, MailTransport, Permit } from './transport.ts'

export interface SmtpOptions {
  server: SmtpServer
  /** Connections at most. */
  maxConnections?: number
  /**
   * Milliseconds without a sign of life from the server, or from a message's first byte to the answer, before a connection is
   * given up. A server may think for ten minutes over a message that it has (RFC 5321, section 4.5.3.2.6).
   */
  timeoutMs?: number
}

/** The part of nodemailer's errors that tells how far the conversation got. */
interface SmtpError extends Error {
  code?: string
  /** What the server was asked when it said no. */
  command?: string
  responseCode?: number
  response?: string
}

const CONNECT_TIMEOUT_MS = 10_000
/** How long a server may take until it is ready for a message, the login included, in milliseconds, however often it speaks. */
const READY_MS = 60_000
/**
 * How long it may take until it waits for a message that it is told of, in milliseconds: as long as one of the commands
 * until there (RFC 5321, section 4.5.3.2). A sign of life now and then is no progress.
 */
const ENVELOPE_MS = 300_000
/** How much a server may say until a connection is ready, and to each message, in bytes: the library counts neither lines nor answers. */
const MOST_WORDS = 64 * 1024
/** How long a connection is kept that nobody uses, in milliseconds. */
const IDLE_MS = 20_000
/** So much of a message flows before it is asked again whether it may. */
const PART_BYTES = 16_384
/** How long a server may take to begin anew after a message that it refused, in milliseconds. */
const RESET_MS = 5_000
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
export function createSmtpTransport({ server, maxConnections = 5, timeoutMs = 600_000 }: SmtpOptions): MailTransport {
  const permits = new Permits(maxConnections)
  /** Connections that nobody uses, and what ends them after a while. */
  const idle = new Map<Connection, NodeJS.Timeout>()
  const open = new Map<Connection, { socket: Socket; bounded: { beginAnew(): void } }>()
  /** How long the server took for each one's messages, of late: a moving average. One's recipients may be slow. */
  const usualMs = new Map<string, number>()

  async function connect(): Promise<Connection> {
    const socket = new Socket()
    const connection = new SMTPConnection({
      ...server.options,
      socket,
      connectionTimeout: Math.min(timeoutMs, CONNECT_TIMEOUT_MS),
      greetingTimeout: Math.min(timeoutMs, CONNECT_TIMEOUT_MS),
      socketTimeout: timeoutMs,
      // A hand-over that is broken off is to end now, and not after what is buffered.
      socketCloseTimeout: 0,
    })
    const bounded = boundAnswers(connection, () => cut(connection))
    open.set(connection, { socket, bounded })
    const gone = () => {
      open.delete(connection)
      clearTimeout(idle.get(connection))
      idle.delete(connection)
    }
    connection.once('end', gone)
    // What it says is told by whatever was under way, too.
    connection.on('error', gone)
    const late = setTimeout(() => cut(connection), Math.min(timeoutMs, READY_MS))
    try {
      await settled<void>(connection, (done) => connection.connect(done))
      await inStep(connection, '250')
      const { auth } = server
      if (auth) {
        await settled<unknown>(connection, (done) => connection.login(auth, done))
        await inStep(connection, '235')
      }
      return connection
    } catch (error) {
      connection.close()
      gone()
      throw error
    } finally {
      clearTimeout(late)
    }
  }

  /**
   * An answer too many would be taken for the answer to what is asked next, and that one's for the next but one. What came
   * together with the last answer is read in this turn: nobody waits for it, and nodemailer ends the connection.
   *
   * @param expected what has just been answered
   * @throws {Error} when the connection has ended, or the answer was another one
   */
  async function inStep(connection: Connection, expected: string): Promise<void> {
    const isExpected = hasCode(connection.lastServerResponse, expected)
    await nextTurn()
    if (!isExpected || !open.has(connection)) throw new Error(OUT_OF_STEP)
  }

  function keep(connection: Connection): void {
    if (!open.has(connection)) return
    const leave = () => {
      idle.delete(connection)
      connection.quit()
    }
    idle.set(connection, setTimeout(leave, IDLE_MS).unref())
  }

  /** Ends what a refused message has begun, so that the next one begins anew (RFC 5321, section 4.1.1.5). */
  async function clear(connection: Connection): Promise<void> {
    const late = setTimeout(() => connection.close(), RESET_MS)
    try {
      // What came with the refusal would be taken for the answer to RSET.
      await nextTurn()
      await settled<unknown>(connection, (done) => connection.reset(done))
      await inStep(connection, '250')
      keep(connection)
    } catch {
      cut(connection)
    } finally {
      clearTimeout(late)
    }
  }

  /** Ends it at once: what waits in the kernel to be sent is not sent any more, which a mere close would let flow. */
  function cut(connection: Connection): void {
    const socket = open.get(connection)?.socket
    if (socket && !socket.destroyed) socket.resetAndDestroy()
    connection.close()
  }

  /** The connection that was used last: the others may end. */
  function takeIdle(): Connection | undefined {
    const last = [...idle].at(-1)
    if (!last) return undefined
    const [connection, timer] = last
    clearTimeout(timer)
    idle.delete(connection)
    return connection
  }

  /** @param release called when the connection is free again: the answer does not wait for that. */
  async function deliver(turn: string, email: Email, handOver: HandOver, release: () => void): Promise<Delivery> {
    let after: Promise<void> | undefined
    try {
      return await tryConnections(turn, email, handOver, (connection) => {
        after = clear(connection)
      })
    } finally {
      if (after) void after.then(release)
      else release()
    }
  }

  async function tryConnections(
    turn: string,
    email: Email,
    handOver: HandOver,
    clearLater: (connection: Connection) => void,
  ): Promise<Delivery> {
    // nodemailer reads an envelope's address as a list: a comma or a line break in it would add recipients.
    if (!isEmailAddress(email.to)) return { kind: 'refused', reason: 'The address is not one email address' }
    let raw: Buffer
    try {
      raw = await compose(email)
    } catch (error) {
      return { kind: 'refused', reason: `The message cannot be written: ${(error as Error).message}` }
    }
    for (;;) {
      const kept = takeIdle()
      // What came with the answer to its last message ends it in this turn.
      if (kept) await nextTurn()
      if (kept && !open.has(kept)) continue
      const message = new Message(raw, handOver)
      try {
        const connection = kept ?? (await connect())
        const delivery = await send(turn, connection, email, message)
        if (delivery.kind === 'taken') keep(connection)
        else if (isAboutMessage(delivery)) clearLater(connection)
        else cut(connection)
        // A server may close a connection that it finds idle: that is no word about this message. Whoever has asked whether
        // it may flow has one answer to come, and does not ask twice.
        if (kept && delivery.kind === 'not-sent' && delivery.serverFailed && message.state === 'waiting') continue
        return delivery
      } catch (error) {
        // Nobody has told the server of the message yet: its words are about the connection or the login.
        const { response, message: words } = error as SmtpError
        return {
          kind: 'not-sent',
          serverFailed: true,
          unreachable: true,
          reason: response ?? words,
          failure: response ?? words,
        }
      }
    }
  }

  async function send(turn: string, connection: Connection, email: Email, message: Message): Promise<Delivery> {
    const started = performance.now()
    const stop = () => cut(connection)
    open.get(connection)?.bounded.beginAnew()
    let late = setTimeout(stop, Math.min(timeoutMs, ENVELOPE_MS))
    const onBegin = () => {
      clearTimeout(late)
      late = setTimeout(stop, timeoutMs)
    }
    message.handOver.breakOff?.addEventListener('abort', stop, { once: true })
    try {
      message.handOver.breakOff?.throwIfAborted()
      const envelope = { from: addressOf(email.from), to: [inAscii(email.to)], size: message.raw.length }
      const mayBegin = () => hasCode(connection.lastServerResponse, GO_AHEAD)
      const { response } = await settled<{ response?: string }>(connection, (done) =>
        connection.send(envelope, message.stream(mayBegin, stop, onBegin), (error, info) => {
          done(error, info)
          message.answered(error as SmtpError | null, stop)
        }),
      )
      if (message.isOutOfStep()) return outOfStep()
      const tookMs = performance.now() - started
      usualMs.set(turn, (usualMs.get(turn) ?? 0) * 0.7 + tookMs * 0.3)
      const words = response ?? ''
      // nodemailer looks at the first digit alone.
      return /^2\d\d(?!\d)/.test(words)
        ? { kind: 'taken', response: words }
        : withFailure({ kind: 'unknown', reason: words }, failureOf({ response: words, command: 'DATA' }))
    } catch (error) {
      if (message.state === 'withdrawn') return { kind: 'withdrawn' }
      if (message.isOutOfStep()) return outOfStep()
      return withFailure(classify(error as SmtpError, message), failureOf(error as SmtpError))
    } finally {
      clearTimeout(late)
      message.handOver.breakOff?.removeEventListener('abort', stop)
    }
  }

  const permit = (turn: string): Permit => {
    let given = false
    const release = () => {
      if (given) return
      given = true
      permits.give(turn)
    }
    return {
      release,
      deliver: (email, handOver) => deliver(turn, email, handOver, release),
    }
  }

  return {
    async permitSoon(turn) {
      if ((usualMs.get(turn) ?? 0) >= SLOW_MS) return undefined
      try {
        await permits.take(turn, AbortSignal.timeout(SOON_MS))
        return permit(turn)
      } catch {
        return undefined
      }
    },
    async permit(turn, signal) {
      await permits.take(turn, signal)
      return permit(turn)
    },
    drain: () => permits.close(),
    close() {
      permits.close()
      for (const connection of open.keys()) cut(connection)
      return Promise.resolve()
    },
  }
}

type Connection = InstanceType<typeof SMTPConnection>

/** Counts what a server says, before the library works on it: an empty line costs it a turn of the loop, and a server little. */
function boundAnswers(connection: Connection, tooMuch: () => void): { beginAnew(): void } {
  // What it calls with each part that comes; it is pinned, and the test of endless answers would tell.
  const inside = connection as unknown as { _onData(part: Buffer): void }
  const take = inside._onData.bind(connection)
  let said = 0
  inside._onData = (part) => {
    said += part.length
    if (said > MOST_WORDS) tooMuch()
    else take(part)
  }
  return {
    beginAnew() {
      said = 0
    },
  }
}

/** Lets what was read so far be worked up: nodemailer takes one answer a turn. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Waits for nodemailer's callback, or for the connection's end, which it does not always tell of. */
function settled<Result>(
  connection: Connection,
  run: (done: (error?: Error | null, result?: Result) => void) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('Connection closed'))
    connection.once('end', ended)
    connection.once('error', reject)
    run((error, result) => {
      connection.off('end', ended)
      connection.off('error', reject)
      if (error) reject(error)
      else resolve(result as Result)
    })
  })
}

/** A message whose first byte flows when its server waits for it, and it may. */
class Message {
  readonly raw: Buffer
  readonly handOver: HandOver
  /**
   * Asked is whether it may flow; ended is what has wholly been given out. Cut and out of step is what ended before that, so
   * that its end has certainly not flowed.
   */
  state: 'waiting' | 'asked' | 'withdrawn' | 'begun' | 'ended' | 'cut' | 'out-of-step' = 'waiting'

  constructor(raw: Buffer, handOver: HandOver) {
    this.raw = raw
    this.handOver = handOver
  }

  isOutOfStep(): boolean {
    return this.state === 'out-of-step'
  }

  /** Whether some of it may have flowed, and nothing says that its end has not. */
  hasFlowed(): boolean {
    return this.state === 'begun' || this.state === 'ended'
  }

  /**
   * @param mayBegin whether the server waits for it. nodemailer takes any 2xx for that, too: it would be the answer to what
   *   was asked before, and the go-ahead that comes late would be taken for the answer to the message.
   * @param stop ends the connection: a server drops what has no end (RFC 5321, section 4.1.1.4).
   * @param onBegin told that the message begins to flow.
   */
  stream(mayBegin: () => boolean, stop: () => void, onBegin: () => void): Readable {
    const flow = async function* (this: Message) {
      if (!mayBegin()) this.state = 'out-of-step'
      else this.state = 'asked'
      // What came together with the go-ahead is read in this turn.
      await nextTurn()
      if (this.isOver()) await neverEnd()
      const may = await this.handOver.begin()
      if (this.isOver()) await neverEnd()
      if (!may) this.state = 'withdrawn'
      if (!may || this.handOver.breakOff?.aborted) await neverEnd()
      this.state = 'begun'
      onBegin()
      for (let at = 0; at < this.raw.length; at += PART_BYTES) {
        if (at > 0 && this.handOver.mayGoOn?.() === false) this.state = 'cut'
        if (this.isOver()) await neverEnd()
        yield this.raw.subarray(at, at + PART_BYTES)
      }
      if (this.isOver()) await neverEnd()
      this.state = 'ended'
    }
    // The stream neither ends nor fails: either would let nodemailer write the end of a message.
    const neverEnd = () => {
      stop()
      return new Promise(() => undefined)
    }
    return Readable.from(flow.call(this))
  }

  /**
   * Says that an answer came, or that none will come. One that comes before the end of the message is none to it, unless it
   * refuses: its end is kept back then, and it has certainly not been sent.
   */
  answered(error: SmtpError | null, stop: () => void): void {
    if (this.state !== 'asked' && this.state !== 'begun') return
    if (error && error.code !== 'EMESSAGE') return
    this.state = error && isRefusal(error) ? 'cut' : 'out-of-step'
    stop()
  }

  private isOver(): boolean {
    return this.state === 'cut' || this.state === 'out-of-step'
  }
}

/** One explicit recipient, so that no header decides who gets the message. */
const compose = ({ from, to, messageId, subject, text, html }: Email): Promise<Buffer> =>
  new MailComposer({
    from,
    to: { name: '', address: to },
    messageId,
    subject,
    text: text ?? (html === null ? '' : undefined),
    html: html ?? undefined,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()

/** The bare address of `Name <address>`. */
export const addressOf = (mailbox: string): string => /<([^<>]+)>\s*$/.exec(mailbox)?.[1] ?? mailbox.trim()

/** The address with its domain as the DNS writes it (RFC 5891): only that is understood without SMTPUTF8 (RFC 6531). */
function inAscii(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = domainToASCII(address.slice(at + 1))
  return domain === '' ? address : `${address.slice(0, at)}@${domain}`
}

/** The server waits for the message (RFC 5321, section 3.3). */
const GO_AHEAD = '354'

const hasCode = (answer: string | false, code: string): boolean =>
  answer !== false && answer.startsWith(code) && !/^\d/.test(answer.slice(code.length))

const OUT_OF_STEP = 'The answers of the mail server are out of step with what it is asked'

/** Whatever it says to what: the message has no end there, and is tried over another connection later. */
const outOfStep = (): Delivery => ({ kind: 'not-sent', serverFailed: true, reason: OUT_OF_STEP, failure: OUT_OF_STEP })

/** The server closes, whatever it was asked at that moment (RFC 5321, section 4.2.3). */
const SHUTTING_DOWN = 421

/**
 * Whether the server says of what it was asked that it has not done it. Nothing else says so (RFC 5321, section 4.2.1): not
 * that it closes, which it can say while it stores a message that it has whole, and no code that there is not.
 */
const isRefusal = ({ responseCode = 0 }: SmtpError): boolean =>
  responseCode >= 400 && responseCode < 600 && responseCode !== SHUTTING_DOWN

/**
 * A refusal is final at any stage (RFC 5321, section 4.2.1); without one, it depends on whether the message had begun. Only a
 * 5xx refuses the message. What is about us waits until the operator has mended it.
 */
function classify(error: SmtpError, message: Message): Delivery {
  const reason = error.response ?? error.message
  const { code, command = '', responseCode = 0, response } = error
  const isOfMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  if (message.hasFlowed() && !(code === 'EMESSAGE' && isRefusal(error))) return { kind: 'unknown', reason }
  // nodemailer did not even ask: it is longer than the server takes, say.
  if (isOfMessage && response === undefined) return { kind: 'refused', reason }
  if (!isOfMessage || !isRefusal(error)) return { kind: 'not-sent', reason, serverFailed: true }
  const about = aboutOf(command, reason)
  if (about === 'us') return { kind: 'not-sent', reason, serverFailed: true }
  if (responseCode < 500) return { kind: 'not-sent', reason, serverFailed: false }
  return about === 'message' ? { kind: 'refused', reason } : { kind: 'refused', reason, doubt: failureOf(error) }
}

const withFailure = (delivery: Delivery, failure: string): Delivery =>
  delivery.kind === 'unknown' || (delivery.kind === 'not-sent' && delivery.serverFailed)
    ? { ...delivery, failure }
    : delivery

/** An answer to what was asked for a message can repeat its addresses: of that, only the codes are told. */
const failureOf = ({ response, command, message }: Partial<SmtpError>): string =>
  response === undefined ? (message ?? '') : `It answered ${codesOf(response)} to ${command ?? 'a message'}`

const isAboutMessage = (delivery: Delivery): boolean =>
  delivery.kind === 'refused' || (delivery.kind === 'not-sent' && !delivery.serverFailed)
