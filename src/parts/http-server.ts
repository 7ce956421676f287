import { createServer, IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isWithin, networkOf } from '../platform/address-ranges.ts'
import { createPlaces } from '../platform/places.ts'

/** How long a client may neither send nor take anything, in milliseconds. */
const SILENCE_MS = 30_000
/** How long a request may take to be there whole, in milliseconds, and its head. */
const REQUEST_MS = 60_000
const HEAD_MS = 20_000
/** How long a request and its answer may take together, in milliseconds: a client that reads a byte now and then is not silent. */
const WHOLE_MS = 180_000
/** How many connections there are at most, and of one address: each is a file descriptor, of which mail and Postgres need some. */
const CONNECTIONS = 8_000
const CONNECTIONS_OF_ONE = 1_000
/** How many requests of one connection are in progress at most: Node itself begins all that come in one piece. */
const IN_PROGRESS_OF_ONE = 10

interface Patience {
  silenceMs?: number
  wholeMs?: number
  connections?: number
  connectionsOfOne?: number
  /** Addresses and ranges whose connections are everybody's. */
  trustedProxies?: readonly string[]
}

/**
 * A server that waits for nobody for ever: whoever does not read an answer, or does not finish a request, keeps what was
 * set aside for it only so long. Node itself would keep an answer for as long as the client likes.
 *
 * @see https://nodejs.org/api/http.html#serversettimeoutmsecs-callback
 */
export function createHttpServer(
  handle: RequestListener,
  {
    silenceMs = SILENCE_MS,
    wholeMs = WHOLE_MS,
    connections = CONNECTIONS,
    connectionsOfOne = CONNECTIONS_OF_ONE,
    trustedProxies = [],
  }: Patience = {},
): Server {
  const pipelining = limitPipelining(IN_PROGRESS_OF_ONE)
  const options = { requestTimeout: REQUEST_MS, headersTimeout: HEAD_MS, IncomingMessage: BoundedRequest }
  const server = createServer(options, (request, response) => {
    if (!pipelining.mayBegin(request, response)) return
    const late = setTimeout(() => request.socket.destroy(), wholeMs).unref()
    response.once('close', () => clearTimeout(late))
    handle(request, response)
  })
  // An expectation that nobody knows may be left aside (RFC 9110, section 10.1.1). Node would answer it past all of this.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.setTimeout(silenceMs)
  // Some more for those that are being cut off.
  server.maxConnections = 2 * connections
  server.on('connection', limitByNetwork(connectionsOfOne, trustedProxies))
  server.on('connection', makeRoom(connections, pipelining.isBusy))
  server.on('connection', readInSlices)
  return server
}

/**
 * Lets nobody send thousands of requests in one piece, which would all be begun before anybody else's: whoever does not
 * wait for answers is cut off.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2
 */
function limitPipelining(most: number) {
  // Weak: of a connection that is cut off, answers that have not begun are never closed.
  const inProgress = new WeakMap<Socket, number>()
  return {
    isBusy: (socket: Socket): boolean => (inProgress.get(socket) ?? 0) > 0,
    mayBegin({ socket }: IncomingMessage, response: ServerResponse): boolean {
      if (socket.destroyed) return false
      const others = inProgress.get(socket) ?? 0
      if (others >= most) {
        socket.destroy()
        return false
      }
      inProgress.set(socket, others + 1)
      response.once('close', () => inProgress.set(socket, inProgress.get(socket)! - 1))
      return true
    },
  }
}

/** So many bytes of a connection are parsed at a time: some tens of the shortest requests. */
const SLICE_BYTES = 2_048
/** The same where all of them are of one body, which has said how long it is. */
const SLICE_BYTES_OF_BODY = 16_384

/**
 * Has Node parse what came in small pieces, and stop when the connection has been cut off: of one of 64 KB it would make two
 * thousand requests first, each of which is kept until all of them are made.
 */
function readInSlices(socket: Socket): void {
  const [parse] = socket.listeners('data') as ((chunk: Buffer) => void)[]
  if (!parse) return
  const sizeOf = sizeOfSlices(socket)
  socket.off('data', parse)
  socket.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length && !socket.destroyed;) {
      // Node waits until the client has read: the rest comes again after that.
      if (socket.isPaused()) return void socket.unshift(chunk.subarray(at))
      const size = sizeOf()
      parse.call(socket, chunk.subarray(at, at + size))
      at += size
    }
  })
}

/** Node keeps what it reads with the connection, and says so nowhere: where it does no more, slices are small. */
function sizeOfSlices(socket: Socket & { parser?: { incoming?: IncomingMessage | null } | null }): () => number {
  let of: IncomingMessage | undefined
  let seen = 0
  return () => {
    const incoming = socket.parser?.incoming
    if (!incoming || incoming.complete) return SLICE_BYTES
    // Some of it may have come with its head.
    if (incoming !== of) seen = SLICE_BYTES
    of = incoming
    const left = Number(incoming.headers['content-length'] ?? 0) - seen
    const size = left > SLICE_BYTES_OF_BODY ? SLICE_BYTES_OF_BODY : SLICE_BYTES
    seen += size
    return size
  }
}

/** So many pieces of bodies has a connection to spare, and gets as many again as it has requests and bytes, up to that. */
const PIECES = 512
const PIECES_A_REQUEST = 16
const BYTES_A_PIECE = 64

/** What the connections there are have to spare. */
const piecesLeft = new WeakMap<Socket, number>()

function spend(socket: Socket, pieces: number): void {
  const left = Math.min(PIECES, (piecesLeft.get(socket) ?? PIECES) - pieces)
  piecesLeft.set(socket, left)
  if (left < 0) socket.destroy()
}

/**
 * A request of a connection that sends no bodies in pieces of a byte each: each is an object of its own, and thousands of them
 * come in one packet, whether somebody reads them or not. Whoever does is cut off.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-7.1
 */
class BoundedRequest extends IncomingMessage {
  constructor(socket: Socket) {
    super(socket)
    spend(socket, -PIECES_A_REQUEST)
  }

  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    spend(this.socket, 1 - (piece?.length ?? 0) / BYTES_A_PIECE)
    return super.push(piece, encoding)
  }

  /** Of what is left when its answer is out Node would drop each piece without a word to anybody. */
  _dump(): void {
    this.resume()
  }
}

/** Lets nobody take all connections of one network's share: whoever opens more than so many is cut off. */
function limitByNetwork(most: number, trustedProxies: readonly string[]): (socket: Socket) => void {
  const places = createPlaces(most)
  return (socket) => {
    const address = socket.remoteAddress ?? ''
    if (isWithin(address, trustedProxies)) return
    const network = networkOf(address)
    if (places.take(network, 1) === 1) socket.once('close', () => places.giveBack(network, 1))
    else socket.destroy()
  }
}

/** So long nobody who has come makes room for others because he has not asked yet, in milliseconds. */
const GRACE_MS = 1_000

/**
 * Makes room for whoever comes where all connections are taken: by the oldest on which nobody waits for an answer, or by the oldest
 * of all. Whoever takes all of them, from however many networks, holds none for long; and whoever asks, and reads, is answered
 * before his is the oldest.
 */
function makeRoom(most: number, isBusy: (socket: Socket) => boolean): (socket: Socket) => void {
  /** When they were opened, the oldest first. */
  const open = new Map<Socket, number>()
  const toLetGo = (): Socket | undefined => {
    const young = performance.now() - GRACE_MS
    for (const [socket, openedAt] of open) {
      if (openedAt > young) break
      if (!isBusy(socket)) return socket
    }
    const [oldest] = open.keys()
    return oldest
  }
  return (socket) => {
    if (socket.destroyed) return
    open.set(socket, performance.now())
    socket.once('close', () => open.delete(socket))
    const victim = open.size > most ? toLetGo() : undefined
    if (!victim) return
    open.delete(victim)
    victim.destroy()
  }
}
