import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhenResult,
} from 'cockatiel'
import { AlikeRefusals } from './alike-refusals.ts'
import type { Delivery, MailTransport, Permit } from './transport.ts'

/** Failures in a row after which the circuit opens: as many as a server has connections by default. */
const FAILURES = 5

/** How long it stays open before one message tries the server again, in milliseconds: doubled each time that fails. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 120_000

/** What says something of the server, and not only of a message. */
const isServersFailure = (delivery: Delivery): boolean =>
  delivery.kind === 'unknown' || (delivery.kind === 'not-sent' && delivery.serverFailed)

const BROKEN: Delivery = {
  kind: 'not-sent',
  serverFailed: true,
  reason: 'The mail server has failed several times in a row, and is tried by one message at a time',
}

/**
 * Opens the circuit to a mail server that does not answer, that breaks off, or that refuses us: messages are then not sent at once, instead
 * of each waiting for a connection that does not come, or being one more of which nobody knows where it is. One message at a
 * time tries whether the server is back.
 *
 * @param onChange told when the circuit opens (`true`), with the failure that opened it, and when it is closed again.
 */
export function withCircuitBreaker(
  transport: MailTransport,
  onChange: (open: boolean, failure: string | undefined) => void,
): MailTransport {
  const alike = new AlikeRefusals()
  class Failures extends ConsecutiveBreaker {
    // What refuses one recipient after the other has failed often enough already.
    override failure(): boolean {
      return super.failure() || alike.areAboutUs
    }
  }
  const breaker = circuitBreaker(
    handleWhenResult((result) => isServersFailure(result as Delivery)),
    {
      breaker: new Failures(FAILURES),
      halfOpenAfter: new ExponentialBackoff({ initialDelay: FIRST_PAUSE_MS, maxDelay: LONGEST_PAUSE_MS }),
    },
  )
  let open = false
  let failure: string | undefined
  breaker.onStateChange((state) => {
    // Half open it is until the one that tries has come through.
    const now = state !== CircuitState.Closed
    if (now !== open) onChange((open = now), failure)
  })
  const guarded = (permit: Permit): Permit => ({
    release: () => permit.release(),
    async deliver(email, handOver) {
      try {
        return await breaker.execute(async () => {
          const delivery = alike.judge(await permit.deliver(email, handOver), email.to)
          failure = 'failure' in delivery ? delivery.failure : undefined
          return delivery
        })
      } catch (error) {
        if (!(error instanceof BrokenCircuitError)) throw error
        permit.release()
        return BROKEN
      }
    },
  })
  return {
    ...transport,
    async permitSoon(turn) {
      const permit = open ? undefined : await transport.permitSoon(turn)
      return permit && guarded(permit)
    },
    permit: async (turn, signal) => guarded(await transport.permit(turn, signal)),
  }
}
