import { Socket } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { OUT_OF_STEP } from './classify-response.ts'
import type { SmtpError } from './classify-response.ts'
import type { SmtpServer } from './smtp-url.ts'

const CONNECT_TIMEOUT_MS = 10_000
/** How long a server may take until it is ready for a message, the login included, in milliseconds, however often it speaks. */
const READY_MS = 60_000
/** How much a server may say until a connection is ready, and to each message, in bytes: the library counts neither lines nor answers. */
const MAX_WORDS = 64 * 1024
/** How long a connection is kept that nobody uses, in milliseconds. */
const IDLE_MS = 20_000
/** How long a server may take to begin anew after a message that it refused, in milliseconds. */
const RESET_MS = 5_000
/** How long it may take to say good-bye, in milliseconds. */
const QUIT_MS = 5_000

export type Connection = InstanceType<typeof SMTPConnection>

/**
 * The connections to one server: each is made, used by one message at a time, kept for a while and ended here.
 *
 * @param timeoutMs see `SmtpOptions`
 */
export function createConnections(server: SmtpServer, timeoutMs: number) {
  /** Connections that nobody uses, and what ends them after a while. */
  const idle = new Map<Connection, NodeJS.Timeout>()
  const open = new Map<Connection, { socket: Socket; bounded: { beginAnew(): void } }>()

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
    let duringLogin = false
    try {
      await settled<void>(connection, (done) => connection.connect(done))
      await inStep(connection, '250')
      const { auth } = server
      if (auth) {
        duringLogin = true
        await settled<unknown>(connection, (done) => connection.login(auth, done))
        await inStep(connection, '235')
      }
      return connection
    } catch (error) {
      connection.close()
      gone()
      throw Object.assign(error as SmtpError, { duringLogin })
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
    const go = () => {
      idle.delete(connection)
      leave(connection)
    }
    idle.set(connection, setTimeout(go, IDLE_MS).unref())
  }

  /** Says good-bye, and does not wait for the answer for long. */
  function leave(connection: Connection): void {
    const late = setTimeout(() => cut(connection), QUIT_MS).unref()
    connection.once('end', () => clearTimeout(late))
    connection.quit()
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

  return {
    connect,
    keep,
    leave,
    clear,
    cut,
    takeIdle,
    isOpen: (connection: Connection): boolean => open.has(connection),
    /** What it says is counted for the next message. */
    beginAnew: (connection: Connection) => open.get(connection)?.bounded.beginAnew(),
    cutAll(): void {
      for (const connection of open.keys()) cut(connection)
    },
  }
}

/** Counts what a server says, before the library works on it: an empty line costs it a turn of the loop, and a server little. */
function boundAnswers(connection: Connection, tooMuch: () => void): { beginAnew(): void } {
  // What it calls with each part that comes; it is pinned, and the test of endless answers would tell.
  const inside = connection as unknown as { _onData(part: Buffer): void }
  const take = inside._onData.bind(connection)
  let said = 0
  inside._onData = (part) => {
    said += part.length
    if (said > MAX_WORDS) tooMuch()
    else take(part)
  }
  return {
    beginAnew() {
      said = 0
    },
  }
}

/** Lets what was read so far be worked up: nodemailer takes one answer a turn. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Waits for nodemailer's callback, or for the connection's end, which it does not always tell of. */
export function settled<Result>(
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

export const hasCode = (answer: string | false, code: string): boolean =>
  answer !== false && answer.startsWith(code) && !/^\d/.test(answer.slice(code.length))
