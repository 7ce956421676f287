import { Socket } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { OUT_OF_SYNC } from './classify-response.ts'
import type { SmtpError } from './classify-response.ts'
import type { SmtpServer } from './smtp-url.ts'

const CONNECT_TIMEOUT_MS = 10_000
/** Maximum time until a connection is ready, including the login, no matter how often the server responds. */
const READY_MS = 60_000
/** Maximum bytes of responses until a connection is ready, and for each message. The library has no limit. */
const MAX_RESPONSE_BYTES = 64 * 1024
/** Maximum time that an unused connection is kept. */
const IDLE_MS = 20_000
/** Maximum time for RSET after a rejected message. */
const RESET_MS = 5_000
/** Maximum time for QUIT. */
const QUIT_MS = 5_000

export type Connection = InstanceType<typeof SMTPConnection>

/**
 * Manages the connections to one server. Each connection carries one message at a time, and is kept for a while after it.
 *
 * @param timeoutMs see `SmtpOptions`
 */
export function createConnections(server: SmtpServer, timeoutMs: number) {
  /** Unused connections, with the timers that close them. */
  const idle = new Map<Connection, NodeJS.Timeout>()
  const open = new Map<Connection, { socket: Socket; bounded: { reset(): void } }>()

  async function connect(): Promise<Connection> {
    const socket = new Socket()
    const connection = new SMTPConnection({
      ...server.options,
      socket,
      connectionTimeout: Math.min(timeoutMs, CONNECT_TIMEOUT_MS),
      greetingTimeout: Math.min(timeoutMs, CONNECT_TIMEOUT_MS),
      socketTimeout: timeoutMs,
      // An aborted delivery must end immediately, not after the buffered data.
      socketCloseTimeout: 0,
    })
    const bounded = limitResponses(connection, () => cut(connection))
    open.set(connection, { socket, bounded })
    const gone = () => {
      open.delete(connection)
      clearTimeout(idle.get(connection))
      idle.delete(connection)
    }
    connection.once('end', gone)
    // The pending command also reports the error.
    connection.on('error', gone)
    const late = setTimeout(() => cut(connection), Math.min(timeoutMs, READY_MS))
    let duringLogin = false
    try {
      await waitForCallback<void>(connection, (done) => connection.connect(done))
      await inStep(connection, '250')
      const { auth } = server
      if (auth) {
        duringLogin = true
        await waitForCallback<unknown>(connection, (done) => connection.login(auth, done))
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
   * Asserts that the server sent exactly one response. A surplus response would be mistaken for the response to the next command.
   * If it arrived together with the last response, nodemailer reads it in this turn of the event loop, and closes the connection.
   *
   * @param expected code of the last response
   * @throws {Error} if the connection ended or the response has a different code
   */
  async function inStep(connection: Connection, expected: string): Promise<void> {
    const isExpected = hasCode(connection.lastServerResponse, expected)
    await nextTurn()
    if (!isExpected || !open.has(connection)) throw new Error(OUT_OF_SYNC)
  }

  function keep(connection: Connection): void {
    if (!open.has(connection)) return
    const go = () => {
      idle.delete(connection)
      leave(connection)
    }
    idle.set(connection, setTimeout(go, IDLE_MS).unref())
  }

  /** Sends QUIT. Waits for the response only briefly. */
  function leave(connection: Connection): void {
    const late = setTimeout(() => cut(connection), QUIT_MS).unref()
    connection.once('end', () => clearTimeout(late))
    connection.quit()
  }

  /** Resets the session after a rejected message (RFC 5321, section 4.1.1.5). */
  async function clear(connection: Connection): Promise<void> {
    const late = setTimeout(() => connection.close(), RESET_MS)
    try {
      // Responses that arrived with the rejection would be mistaken for the response to RSET.
      await nextTurn()
      await waitForCallback<unknown>(connection, (done) => connection.reset(done))
      await inStep(connection, '250')
      keep(connection)
    } catch {
      cut(connection)
    } finally {
      clearTimeout(late)
    }
  }

  /** Resets the connection, so that data in the kernel's send buffer is discarded. A normal close would still send it. */
  function cut(connection: Connection): void {
    const socket = open.get(connection)?.socket
    if (socket && !socket.destroyed) socket.resetAndDestroy()
    connection.close()
  }

  /** Takes the most recently used connection, so that the others can time out. */
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
    /** Resets the limit of response bytes for the next message. */
    beginAnew: (connection: Connection) => open.get(connection)?.bounded.reset(),
    cutAll(): void {
      for (const connection of open.keys()) cut(connection)
    },
  }
}

/** Limits the bytes that a server may send, before the library parses them: each empty line costs a turn of the event loop. */
function limitResponses(connection: Connection, tooMuch: () => void): { reset(): void } {
  // Private method of the library, which is pinned. The test of endless responses covers it.
  const inside = connection as unknown as { _onData(part: Buffer): void }
  const take = inside._onData.bind(connection)
  let bytes = 0
  inside._onData = (part) => {
    bytes += part.length
    if (bytes > MAX_RESPONSE_BYTES) tooMuch()
    else take(part)
  }
  return {
    reset() {
      bytes = 0
    },
  }
}

/** Waits for a turn of the event loop: nodemailer processes one response per turn. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Waits for nodemailer's callback or the end of the connection, which nodemailer does not always report. */
export function waitForCallback<Result>(
  connection: Connection,
  run: (done: (error?: Error | null, result?: Result) => void) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    // A response that ends the connection, such as 421, is reported after the end.
    const ended = () => setImmediate(() => reject(new Error('Connection closed')))
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

export const hasCode = (response: string | false, code: string): boolean =>
  response !== false && response.startsWith(code) && !/^\d/.test(response.slice(code.length))
