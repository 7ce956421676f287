import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { isEmailAddress } from '../domain/email-address.ts'
import { Permits } from './permits.ts'
import type { SmtpServer } from './smtp-url.ts'
import type { Delivery, Email, HandOver, MailTransport, Permit } from './transport.ts'

export interface SmtpOptions {
  server: SmtpServer
  /** Connections at most. */
  maxConnections?: number
  /**
   * Milliseconds without a sign of life from the server before a connection is given up. A server may think for ten minutes
   * over a message that it has (RFC 5321, section 4.5.3.2.6).
   */
  timeoutMs?: number
}

/** The part of nodemailer's errors that tells how far the conversation got. */
interface SmtpError extends Error {
  code?: string
  responseCode?: number
  response?: string
}

const CONNECT_TIMEOUT_MS = 10_000
/** How long a connection is kept that nobody uses, in milliseconds. */
const IDLE_MS = 20_000
/** So much of a message flows before it is asked again whether it may. */
const PART_BYTES = 16_384
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
  const open = new Set<Connection>()
  /** How long the server took for its messages, of late: a moving average. */
  let usualMs = 0

  async function connect(): Promise<Connection> {
    const connection = new SMTPConnection({
      ...server.options,
      connectionTimeout: Math.min(timeoutMs, CONNECT_TIMEOUT_MS),
      greetingTimeout: Math.min(timeoutMs, CONNECT_TIMEOUT_MS),
      socketTimeout: timeoutMs,
      // A hand-over that is broken off is to end now, and not after what is buffered.
      socketCloseTimeout: 0,
    })
    open.add(connection)
    const gone = () => {
      open.delete(connection)
      clearTimeout(idle.get(connection))
      idle.delete(connection)
    }
    connection.once('end', gone)
    // What it says is told by whatever was under way, too.
    connection.on('error', gone)
    try {
      await settled<void>(connection, (done) => connection.connect(done))
      const { auth } = server
      if (auth) await settled<unknown>(connection, (done) => connection.login(auth, done))
      return connection
    } catch (error) {
      connection.close()
      gone()
      throw error
    }
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
    try {
      await settled<unknown>(connection, (done) => connection.reset(done))
      keep(connection)
    } catch {
      connection.close()
    }
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

  async function deliver(email: Email, handOver: HandOver): Promise<Delivery> {
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
      const message = new Message(raw, handOver)
      try {
        const connection = kept ?? (await connect())
        const delivery = await send(connection, email, message)
        if (delivery.kind === 'taken') keep(connection)
        else if (isAboutMessage(delivery)) await clear(connection)
        else connection.close()
        // A server may close a connection that it finds idle: that is no word about this message.
        if (kept && delivery.kind === 'not-sent' && delivery.serverFailed && message.state === 'waiting') continue
        return delivery
      } catch (error) {
        return classify(error as SmtpError, 'waiting')
      }
    }
  }

  async function send(connection: Connection, email: Email, message: Message): Promise<Delivery> {
    const started = performance.now()
    const stop = () => connection.close()
    message.handOver.breakOff?.addEventListener('abort', stop, { once: true })
    try {
      message.handOver.breakOff?.throwIfAborted()
      const envelope = { from: addressOf(email.from), to: [email.to], size: message.raw.length }
      const { response } = await settled<{ response?: string }>(connection, (done) =>
        connection.send(envelope, message.stream(stop), (error, info) => done(error, info)),
      )
      const tookMs = performance.now() - started
      usualMs = usualMs * 0.7 + tookMs * 0.3
      return { kind: 'taken', response: String(response ?? '') }
    } catch (error) {
      return message.state === 'withdrawn' ? { kind: 'withdrawn' } : classify(error as SmtpError, message.state)
    } finally {
      message.handOver.breakOff?.removeEventListener('abort', stop)
    }
  }

  const permit = (): Permit => {
    let given = false
    const release = () => {
      if (given) return
      given = true
      permits.give()
    }
    return {
      release,
      async deliver(email, handOver) {
        try {
          return await deliver(email, handOver)
        } finally {
          release()
        }
      },
    }
  }

  return {
    async permitSoon(turn) {
      if (usualMs >= SLOW_MS) return undefined
      try {
        await permits.take(turn, AbortSignal.timeout(SOON_MS))
        return permit()
      } catch {
        return undefined
      }
    },
    async permit(turn, signal) {
      await permits.take(turn, signal)
      return permit()
    },
    drain: () => permits.close(),
    close() {
      permits.close()
      for (const connection of open) connection.close()
      return Promise.resolve()
    },
  }
}

type Connection = InstanceType<typeof SMTPConnection>

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
  /** Cut is what has begun, and whose end has certainly not flowed. */
  state: 'waiting' | 'withdrawn' | 'begun' | 'cut' = 'waiting'

  constructor(raw: Buffer, handOver: HandOver) {
    this.raw = raw
    this.handOver = handOver
  }

  /** @param stop ends the connection: a server drops what has no end (RFC 5321, section 4.1.1.4). */
  stream(stop: () => void): Readable {
    const flow = async function* (this: Message) {
      const may = await this.handOver.begin()
      if (!may || this.handOver.breakOff?.aborted) {
        this.state = may ? this.state : 'withdrawn'
        await neverEnd()
      }
      this.state = 'begun'
      for (let at = 0; at < this.raw.length; at += PART_BYTES) {
        if (at > 0 && this.handOver.mayGoOn?.() === false) {
          this.state = 'cut'
          await neverEnd()
        }
        yield this.raw.subarray(at, at + PART_BYTES)
      }
    }
    // The stream neither ends nor fails: either would let nodemailer write the end of a message.
    const neverEnd = () => {
      stop()
      return new Promise(() => undefined)
    }
    return Readable.from(flow.call(this))
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

/**
 * An answer of the server is final at any stage (RFC 5321, section 4.2.1); without one, it depends on whether the message
 * had begun. Only a 5xx about the envelope or the message refuses the message. One about the greeting or the login is about
 * us, and the message waits until the operator has mended that.
 */
function classify(error: SmtpError, state: Message['state']): Delivery {
  const reason = error.response ?? error.message
  const { responseCode } = error
  const aboutMessage =
    (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') && !ABOUT_THE_SESSION.includes(responseCode ?? 0)
  if (responseCode === undefined && state === 'begun') return { kind: 'unknown', reason }
  if (aboutMessage && (responseCode ?? 500) >= 500) return { kind: 'refused', reason }
  return { kind: 'not-sent', reason, serverFailed: !aboutMessage }
}

/**
 * The server closes, whatever it was asked at that moment; or it finds our commands out of order (RFC 5321, section 4.2.3).
 */
const ABOUT_THE_SESSION = [421, 503]

const isAboutMessage = (delivery: Delivery): boolean =>
  delivery.kind === 'refused' || (delivery.kind === 'not-sent' && !delivery.serverFailed)
