import { createServer, type RequestListener, type Server } from 'node:http'

const TIMEOUTS = {
  /** Milliseconds until the headers of a request must have arrived. */
  headersTimeout: 20_000,
  /** Milliseconds until a whole request must have arrived. */
  requestTimeout: 60_000,
  /** Milliseconds that an idle connection stays open for the next request. */
  keepAliveTimeout: 5_000,
  /** Milliseconds in which a connection may neither send nor receive anything. */
  inactivityMs: 30_000,
}

/** Creates an HTTP server that closes slow and silent connections. Node itself does that; a reverse proxy bounds the rest. */
export function createHttpServer(handle: RequestListener, timeouts: Partial<typeof TIMEOUTS> = {}): Server {
  const { inactivityMs, ...options } = { ...TIMEOUTS, ...timeouts }
  return createServer(options, handle).setTimeout(inactivityMs)
}
