import { createServer, type RequestListener, type Server } from 'node:http'

const TIMEOUTS = {
  /** Milliseconds within which the headers of a request must arrive. */
  headersTimeout: 20_000,
  /** Milliseconds within which a whole request must arrive. */
  requestTimeout: 60_000,
  /** Milliseconds that an idle connection stays open for the next request. */
  keepAliveTimeout: 5_000,
  /** Milliseconds for which a connection may neither send nor receive anything. */
  inactivityMs: 30_000,
}

/**
 * Creates an HTTP server that closes slow and silent connections. Node itself enforces these limits; a reverse proxy enforces the
 * rest.
 */
export function createHttpServer(handle: RequestListener, timeouts: Partial<typeof TIMEOUTS> = {}): Server {
  const { inactivityMs, ...options } = { ...TIMEOUTS, ...timeouts }
  return createServer(options, handle).setTimeout(inactivityMs)
}
