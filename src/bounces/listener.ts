import type { KeyObject } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server'
import { openReturnPath } from '../signed-links/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { isWithin, networkOf } from '../platform/address-ranges.ts'
import { makeRoom } from '../platform/make-room.ts'
import { createPlaces } from '../platform/places.ts'
import { createReader } from './reader.ts'
import { takeReturnedMail } from './returned-mail.ts'

/** Where complaints come to, which mailbox providers send to one address; and who every domain with mail has (RFC 5321, section 4.5.1). */
const FOR_ALL = ['feedback', 'abuse', 'postmaster']
/** So much of a mail is kept: what it is about comes first, and what is returned, last. */
const MOST_KEPT = 128 * 1024
/** What mail servers return is no longer than what they were given. */
const LARGEST = 10 * 1024 * 1024
const MOST_CONNECTIONS = 100
/** Of one network: a large mailbox provider has many. */
const MOST_OF_ONE = 10
const MOST_RECIPIENTS = 20
const IDLE_MS = 30_000
/** A report is short: who takes longer keeps others out. */
const LONGEST_MS = 120_000
/** Whoever is refused goes within that time. */
const REFUSED_MS = 1_000
const MOST_PAUSE_MS = 1_000
/** So many mails wait to be read; the others come again. */
const MOST_WAITING = 50

export interface Listener {
  port: number
  ended: Promise<void>
  close(): Promise<void>
}

/**
 * Listens for mail that comes back. It takes mail to return paths of this installation, and to the addresses above, and to nobody else; it
 * passes nothing on and answers nobody by mail, so that no loop can begin here.
 *
 * @param secret what return paths are signed with
 * @param place.trustedProxies whose connections are other people's: they are not counted as one
 * @throws {NodeJS.ErrnoException} where the port is taken, or may not be used
 */
export async function listenForBounces(
  dependencies: Dependencies,
  secret: KeyObject,
  { port, host, trustedProxies }: { port: number; host: string; trustedProxies: readonly string[] },
): Promise<Listener> {
  const { log } = dependencies
  const room = makeRoom(MOST_CONNECTIONS)
  const places = createPlaces(MOST_OF_ONE)
  const told = createPlaces(MOST_OF_ONE)
  /** Of networks that have no place left. Behind a proxy all are of one. */
  const refused = new Set<string>()
  // Of IPv4 by a socket of IPv6 the server tells the address alone.
  const nameOf = (address = '', port = 0) => `${address.replace(/^::ffff:/i, '')} ${port}`
  const inTurn = oneAtATime()
  const reader = createReader()
  const server = new SMTPServer({
    // Not the machine's name, which is nobody's business.
    name: 'dripline',
    banner: 'Dripline',
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: LARGEST,
    // Room is made before: nobody keeps others out who comes from many networks.
    maxClients: 10 * MOST_CONNECTIONS,
    socketTimeout: IDLE_MS,
    closeTimeout: 1_000,
    onConnect({ remoteAddress, remotePort }, callback) {
      if (refused.has(nameOf(remoteAddress, remotePort)))
        return callback(refusal(421, '4.7.0 Too many connections from there'))
      callback()
    },
    onRcptTo({ address }, { envelope }, callback) {
      if (!isForUs(secret, address)) return callback(refusal(550, '5.1.1 No such mailbox here'))
      if (envelope.rcptTo.length >= MOST_RECIPIENTS) return callback(refusal(452, '4.5.3 Too many recipients'))
      callback()
    },
    onData(stream, { envelope }, callback) {
      const { mailFrom, rcptTo } = envelope
      void (async () => {
        const raw = await beginningOf(stream)
        const recipients = rcptTo.map(({ address }) => address)
        const isFromNobody = mailFrom === false || mailFrom.address === ''
        const results = await inTurn(async () => {
          const said = await reader.read({ raw, isFromNobody })
          return takeReturnedMail(dependencies, secret, { recipients, ...said })
        })
        if (results.includes('later')) throw refusal(451, '4.3.0 Not known yet: try again')
      })().then(
        () => callback(null, '2.0.0 Thank you'),
        (error: Error & { responseCode?: number }) => {
          if (error.responseCode !== undefined) return callback(error)
          log.warn({ error }, 'A mail that came back could not be recorded; its server tries again')
          callback(refusal(451, '4.3.0 It cannot be recorded now: try again'))
        },
      )
    },
  })
  // What one network has beyond its places takes no room: nobody goes for that.
  server.server.on('connection', (socket: Socket) => {
    const { remoteAddress = '', remotePort } = socket
    if (isWithin(remoteAddress, trustedProxies)) return room(socket)
    const network = networkOf(remoteAddress)
    if (places.take(network, 1) === 1) {
      socket.once('close', () => places.giveBack(network, 1))
      return room(socket)
    }
    if (told.take(network, 1) === 0) return socket.destroy()
    // It is told so, and has to go, whether it listens or not.
    const name = nameOf(remoteAddress, remotePort)
    refused.add(name)
    const late = setTimeout(() => socket.destroy(), REFUSED_MS).unref()
    socket.once('close', () => {
      clearTimeout(late)
      refused.delete(name)
      told.giveBack(network, 1)
    })
  })
  server.server.on('connection', (socket: Socket) => {
    const late = setTimeout(() => socket.destroy(), LONGEST_MS).unref()
    socket.once('close', () => clearTimeout(late))
  })
  // Of one connection: somebody went away, or speaks something else.
  server.on('error', (error) => log.debug({ error: error.message }, 'A connection for returned mail broke'))
  await new Promise<void>((done, fail) => {
    const failed = (error: Error) => fail(error)
    server.server.once('error', failed)
    server.listen(port, host, () => {
      server.server.off('error', failed)
      done()
    })
  })
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
  return FOR_ALL.includes(local) || openReturnPath(secret, address) !== undefined
}

/**
 * Has mails read one at a time, each behind a pause as long as the one before took, and no longer than a second: whatever somebody sends, the
 * database has time for others.
 */
function oneAtATime() {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (waiting >= MOST_WAITING) throw refusal(451, '4.3.2 Too much at once: try again')
    waiting += 1
    const turn = last.then(async () => {
      const began = performance.now()
      try {
        return { result: await run(), took: performance.now() - began }
      } finally {
        waiting -= 1
      }
    })
    last = turn.then(
      ({ took }) => delay(Math.min(took, MOST_PAUSE_MS), undefined, { ref: false }),
      () => undefined,
    )
    return (await turn).result
  }
}

const refusal = (responseCode: number, words: string): Error => Object.assign(new Error(words), { responseCode })

async function beginningOf(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  let kept = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (kept < MOST_KEPT) chunks.push(chunk)
    kept += chunk.length
  }
  if (stream.sizeExceeded) throw refusal(552, '5.3.4 Too large')
  return Buffer.concat(chunks).subarray(0, MOST_KEPT)
}
