import { createServer, type RequestListener, type Server } from 'node:http'
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

interface Patience {
  silenceMs?: number
  wholeMs?: number
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
    connectionsOfOne = CONNECTIONS_OF_ONE,
    trustedProxies = [],
  }: Patience = {},
): Server {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: HEAD_MS }, handle)
  server.setTimeout(silenceMs)
  server.maxConnections = CONNECTIONS
  server.on('connection', limitByAddress(connectionsOfOne, trustedProxies))
  server.on('request', (request, response) => {
    const late = setTimeout(() => request.socket.destroy(), wholeMs).unref()
    response.once('close', () => clearTimeout(late))
  })
  return server
}

/** Lets nobody take all connections: whoever opens more than so many is cut off. */
function limitByAddress(most: number, trustedProxies: readonly string[]): (socket: Socket) => void {
  const places = createPlaces(most)
  return (socket) => {
    const address = socket.remoteAddress ?? ''
    if (isWithin(address, trustedProxies)) return
    const network = networkOf(address)
    if (places.take(network, 1) === 1) socket.once('close', () => places.giveBack(network, 1))
    else socket.destroy()
  }
}
