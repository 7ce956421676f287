import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhenResult,
} from 'cockatiel'
import type { Delivery, MailTransport } from './transport.ts'

/** Failures in a row after which a server is left alone: as many as it has connections by default. */
const FAILURES = 5

/** How long it is left alone before one message tries it again, in milliseconds: doubled each time that fails. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 120_000

/** What says something of the server, and not only of a message. */
const isServersFailure = (delivery: Delivery): boolean =>
  delivery.kind === 'unknown' || (delivery.kind === 'not-sent' && delivery.serverFailed)

/**
 * Leaves a mail server alone that does not answer, or that breaks off: messages are then not sent at once, instead of each
 * waiting for a connection that does not come, or being one more of which nobody knows where it is. One message at a time
 * tries whether the server is back.
 *
 * @param onChange told when the server is given up (`true`), and when it is back.
 */
export function breakCircuit(transport: MailTransport, onChange: (open: boolean) => void): MailTransport {
  const breaker = circuitBreaker(
    handleWhenResult((result) => isServersFailure(result as Delivery)),
    {
      breaker: new ConsecutiveBreaker(FAILURES),
      halfOpenAfter: new ExponentialBackoff({ initialDelay: FIRST_PAUSE_MS, maxDelay: LONGEST_PAUSE_MS }),
    },
  )
  let open = false
  breaker.onStateChange((state) => {
    // Half open it is until the one that tries has come through.
    const now = state !== CircuitState.Closed
    if (now !== open) onChange((open = now))
  })
  return {
    async deliver(email) {
      try {
        return await breaker.execute(() => transport.deliver(email))
      } catch (error) {
        if (!(error instanceof BrokenCircuitError)) throw error
        return {
          kind: 'not-sent',
          serverFailed: true,
          reason: 'The mail server has failed several times in a row and is left alone for a while',
        }
      }
    },
    close: () => transport.close(),
  }
}
