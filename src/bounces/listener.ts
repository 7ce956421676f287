import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server'
import { openReturnPath, openUnsubscribeAddress } from '../signed-links/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { ConcurrencyLimit } from '../platform/concurrency-limit.ts'
import { createReader } from './reader.ts'
import { receiveReturnedMail, unsubscribeByMail } from './returned-mail.ts'

/**
 * Local parts that receive complaints about any message, and those that every mail domain must have (RFC 5321, section 4.5.1).
 */
const SHARED_MAILBOXES = ['feedback', 'abuse', 'postmaster']
/** Maximum bytes read from a mail. The report comes first, and the returned message last. */
const MAX_READ_BYTES = 128 * 1024
/** A returned mail is not longer than the mail that was sent. */
const MAX_MAIL_BYTES = 10 * 1024 * 1024
const MAX_CONNECTIONS = 100
const MAX_RECIPIENTS = 20
const IDLE_MS = 30_000
/** A connection is closed after this time, even if it is not idle: a report is short. */
const MAX_CONNECTION_MS = 120_000
/** Mails that wait to be read. Further ones are rejected for now, and their servers try again. */
const MAX_WAITING = 50

export interface Listener {
  port: number
  ended: Promise<void>
  close(): Promise<void>
}

/**
 * Listens for returned mail. It accepts mail to return paths and unsubscribe addresses of this instance, and to the shared
 * mailboxes. It forwards nothing and never sends a reply, so it cannot start a loop.
 *
 * @param secret signs return paths
 * @throws {NodeJS.ErrnoException} if the port is in use or not permitted
 */
export async function listenForBounces(
  dependencies: Dependencies,
  secret: KeyObject,
  { port, host }: { port: number; host: string },
): Promise<Listener> {
  const { log } = dependencies
  const reader = createReader()
  // One mail is read at a time: the reader is a single process.
  const limit = new ConcurrencyLimit({
    maxRunning: 1,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_CONNECTION_MS,
    createError: () => smtpError(451, '4.3.2 Too busy: try again'),
  })
  const server = new SMTPServer({
    // Not the machine's name.
    name: 'dripline',
    banner: 'Dripline',
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: MAX_MAIL_BYTES,
    maxClients: MAX_CONNECTIONS,
    socketTimeout: IDLE_MS,
    closeTimeout: 1_000,
    onRcptTo({ address }, { envelope }, callback) {
      if (!isForUs(secret, address)) return callback(smtpError(550, '5.1.1 No such mailbox here'))
      if (envelope.rcptTo.length >= MAX_RECIPIENTS) return callback(smtpError(452, '4.5.3 Too many recipients'))
      callback()
    },
    onData(stream, { envelope }, callback) {
      const { mailFrom, rcptTo } = envelope
      void (async () => {
        const raw = await readBeginning(stream)
        const recipients = rcptTo.map(({ address }) => address)
        const isFromNobody = mailFrom === false || mailFrom.address === ''
        const results = await limit.run('mail', async () => {
          await unsubscribeByMail(dependencies, secret, recipients)
          if (recipients.every((address) => openUnsubscribeAddress(secret, address))) return []
          const reports = await reader.run({ raw, isFromNobody })
          return receiveReturnedMail(dependencies, secret, { recipients, ...reports })
        })
        if (results.includes('later')) throw smtpError(451, '4.3.0 Not known yet: try again')
      })().then(
        () => callback(null, '2.0.0 Thank you'),
        (error: Error & { responseCode?: number }) => {
          if (error.responseCode !== undefined) return callback(error)
          log.warn({ error }, 'A returned mail could not be recorded. Its server will try again')
          callback(smtpError(451, '4.3.0 It cannot be recorded now: try again'))
        },
      )
    },
  })
  server.server.on('connection', (socket: Socket) => {
    const late = setTimeout(() => socket.destroy(), MAX_CONNECTION_MS).unref()
    socket.once('close', () => clearTimeout(late))
  })
  // Errors of single connections: the client disconnected, or does not speak SMTP.
  server.on('error', (error) => log.debug({ error: error.message }, 'A connection for returned mail broke'))
  server.listen(port, host)
  await once(server.server, 'listening')
  const ended = new Promise<void>((done) => server.server.once('close', done))
  return {
    port: (server.server.address() as { port: number }).port,
    ended,
    close: async () => {
      await new Promise<void>((done) => server.close(() => done()))
      await reader.close()
    },
  }
}

function isForUs(secret: KeyObject, address: string): boolean {
  const local = address.slice(0, Math.max(address.lastIndexOf('@'), 0)).toLowerCase()
  return (
    SHARED_MAILBOXES.includes(local) ||
    openReturnPath(secret, address) !== undefined ||
    openUnsubscribeAddress(secret, address) !== undefined
  )
}

const smtpError = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode })

async function readBeginning(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (size < MAX_READ_BYTES) chunks.push(chunk)
    size += chunk.length
  }
  if (stream.sizeExceeded) throw smtpError(552, '5.3.4 Too large')
  return Buffer.concat(chunks).subarray(0, MAX_READ_BYTES)
}
