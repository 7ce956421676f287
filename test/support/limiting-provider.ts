import type { Rejection } from '../../scripts/cluster/smtp-sink.ts'

const TOO_FAST: Rejection = { code: 421, text: '4.7.28 Mail arrives at an unusual rate; try again later' }
const TOO_MANY: Rejection = { code: 451, text: '4.7.0 Too many concurrent connections' }

/** Milliseconds after which a connection without an answer is taken for closed. */
const CLOSED_MS = 2_000

/**
 * A mailbox provider that accepts a number of emails a second, and defers others as too fast.
 * @param connections emails at a time. `answered` must be called for each email that it accepted
 */
export function limitingProvider(domain: string, perSecond: number, connections = Infinity) {
  let rejections = 0
  let inFlight: number[] = []
  let acceptedAt: number[] = []
  const reject = (rejection: Rejection) => {
    rejections += 1
    return rejection
  }
  return {
    behavior: (to: string): Rejection | undefined => {
      if (!to.endsWith(`@${domain}`)) return undefined
      const now = performance.now()
      acceptedAt = acceptedAt.filter((at) => now - at < 1_000)
      inFlight = inFlight.filter((at) => now - at < CLOSED_MS)
      if (inFlight.length >= connections) return reject(TOO_MANY)
      if (acceptedAt.length >= perSecond) return reject(TOO_FAST)
      acceptedAt.push(now)
      inFlight.push(now)
      return undefined
    },
    answered: (): void => void inFlight.shift(),
    rejections: () => rejections,
  }
}
