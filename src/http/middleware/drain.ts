import type { Middleware } from 'koa'
import type { ApiState } from '../state.ts'

/** What is read of a refused body, so that the connection can take the next request; of a longer one it is given up. */
const MAX_BYTES = 8 * 1024 * 1024
/** In so many pieces at most: each costs as much as kilobytes do. */
const MAX_PIECES = 6_000
const MAX_MS = 10_000

/**
 * How long a client has to read its answer before a connection that is given up is cut. It is not told to close, because
 * that is done with the answer's last byte, and a client that still writes then sees a broken pipe and no answer.
 */
const FAREWELL_MS = 1_000

/**
 * Deals with what a client still sends when it has its answer: many send all before they read. It is read and dropped, up
 * to a bound.
 */
export const drain = (): Middleware<ApiState> =>
  async function drain(ctx, next) {
    await next()
    const { req } = ctx
    if (req.complete || req.destroyed) return
    let left = MAX_BYTES
    let pieces = MAX_PIECES
    const giveUp = () => {
      req.pause()
      setTimeout(() => req.socket.destroy(), FAREWELL_MS).unref()
    }
    const late = setTimeout(giveUp, MAX_MS).unref()
    req.on('error', () => undefined)
    req.once('close', () => clearTimeout(late))
    req.on('data', (chunk: Buffer) => {
      left -= chunk.length
      pieces -= 1
      if (left < 0 || pieces < 0) giveUp()
    })
    req.resume()
  }
