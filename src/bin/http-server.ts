import { createServer, type RequestListener, type Server } from 'node:http'

/** How long a client may neither send nor take anything, in milliseconds. */
const SILENCE_MS = 30_000
/** How long a request may take to be there whole, in milliseconds, and its head. */
const REQUEST_MS = 60_000
const HEAD_MS = 20_000
/** How long a request and its answer may take together, in milliseconds: a client that reads a byte now and then is not silent. */
const WHOLE_MS = 180_000

/**
 * A server that waits for nobody for ever: whoever does not read an answer, or does not finish a request, keeps what was
 * set aside for it only so long. Node itself would keep an answer for as long as the client likes.
 *
 * @see https://nodejs.org/api/http.html#serversettimeoutmsecs-callback
 */
export function createHttpServer(handle: RequestListener, { silenceMs = SILENCE_MS, wholeMs = WHOLE_MS } = {}): Server {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: HEAD_MS }, handle)
  server.setTimeout(silenceMs)
  server.on('request', (request, response) => {
    const late = setTimeout(() => request.socket.destroy(), wholeMs).unref()
    response.once('close', () => clearTimeout(late))
  })
  return server
}
