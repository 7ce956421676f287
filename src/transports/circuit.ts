import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  ExponentialBackoff,
  handleWhenResult,
  type IBreaker,
} from 'cockatiel'
import type { Delivery } from './transport.ts'

/** How long a circuit stays open before one message tries again, in milliseconds: doubled each time that fails. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 120_000

/** Decides when a circuit opens. */
export interface Failures {
  /** Told of each delivery, as it ends. */
  note(delivery: Delivery, turn: string): void
  /** Whether there have been enough of them. */
  readonly areEnough: boolean
}

/** What says something of the server, and not only of a message. */
export const isServersFailure = (delivery: Delivery): boolean =>
  delivery.kind === 'unknown' || (delivery.kind === 'not-sent' && delivery.serverFailed)

/** A circuit for deliveries: while it is open, one at a time tries whether it can be closed, and the others end at once. */
export interface Circuit {
  readonly isOpen: boolean
  /** @returns `undefined` when the circuit is open: nothing was done. */
  try(turn: string, deliver: () => Promise<Delivery>): Promise<Delivery | undefined>
}

/** @param onChange told when the circuit opens (`true`), with the failure that opened it, and when it is closed again. */
export function createCircuit(
  failures: Failures,
  onChange: (open: boolean, failure: string | undefined) => void,
): Circuit {
  let isOpen = false
  let failure: string | undefined
  const breaker = circuitBreaker(
    handleWhenResult((result) => result !== undefined && isServersFailure(result as Delivery)),
    {
      breaker: new Threshold(failures),
      halfOpenAfter: new ExponentialBackoff({ initialDelay: FIRST_PAUSE_MS, maxDelay: LONGEST_PAUSE_MS }),
    },
  )
  breaker.onStateChange((state) => {
    // Half open it is until the one that tries has come through.
    const now = state !== CircuitState.Closed
    if (now !== isOpen) onChange((isOpen = now), failure)
  })
  return {
    get isOpen() {
      return isOpen
    },
    async try(turn, deliver) {
      // One tries already. The library would have the others wait for it, each with a connection set aside.
      if (breaker.state === CircuitState.HalfOpen) return undefined
      try {
        return await breaker.execute(async () => {
          const delivery = await deliver()
          failures.note(delivery, turn)
          failure = 'failure' in delivery ? delivery.failure : undefined
          return delivery
        })
      } catch (error) {
        if (!(error instanceof BrokenCircuitError)) throw error
        return undefined
      }
    },
  }
}

/** Asks those who count for themselves. */
class Threshold implements IBreaker {
  state: unknown
  private readonly failures: Failures

  constructor(failures: Failures) {
    this.failures = failures
  }

  success(): void {}

  failure(): boolean {
    return this.failures.areEnough
  }
}
