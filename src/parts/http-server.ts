import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { BoundedRequest } from './bounded-request.ts'
import { makeRoom } from '../platform/make-room.ts'
import { limitByNetwork } from './connections.ts'
import { readInSlices } from './slices.ts'

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
