import { waits } from '../platform/waits.ts'
import { SimilarRejections } from './similar-rejections.ts'
import type { Delivery, MailTransport, ConnectionSlot } from './transport.ts'

/** Consecutive failures that open the circuit: as many as there are connections by default. */
const MAX_FAILURES = 5
/** Milliseconds until a message tries a server whose circuit is open. The pause doubles after each failed trial: see `waits`. */
const MIN_PAUSE_MS = 1_000
/** Milliseconds after which another message may try the server while one is still trying: only its recipient may be slow. */
const TRIAL_MS = 10_000

const NOT_TRIED: Delivery = {
  kind: 'not-sent',
  serverFailed: true,
  reason: 'The mail server failed repeatedly. Dripline tries it with one message at a time.',
}

/** Called when the circuit opens, with the failure that opened it, and when it closes. */
export type OnChange = (isOpen: boolean, failure: string | undefined) => void

/**
 * Opens the circuit to a mail server that is unreachable, drops connections, or rejects us. Messages are then deferred
 * immediately. Otherwise each would wait for a connection or become UNCONFIRMED. One message at a time checks whether the server
 * is back.
 */
export function withCircuitBreaker(
  transport: MailTransport,
  onChange: OnChange,
  { trialMs = TRIAL_MS } = {},
): MailTransport {
  const circuit = new Circuit(onChange, trialMs)
  const guarded = (permit: ConnectionSlot): ConnectionSlot => ({
    release: () => permit.release(),
    async deliver(email, handOver) {
      if (!circuit.mayTry) {
        permit.release()
        return NOT_TRIED
      }
      const isTrial = circuit.begin()
      return circuit.end(await permit.deliver(email, handOver), email.to, isTrial)
    },
  })
  return {
    ...transport,
    async permitSoon(turn) {
      const permit = circuit.isOpen ? undefined : await transport.permitSoon(turn)
      return permit && guarded(permit)
    },
    permit: async (turn, signal) => guarded(await transport.permit(turn, signal)),
    isFailing: () => !circuit.mayTry,
  }
}

class Circuit {
  readonly #onChange: OnChange
  readonly #trialMs: number
  readonly #rejections = new SimilarRejections()
  #failuresInARow = 0
  /** When the next message may try, by the process's clock; `undefined` while the circuit is closed. */
  #tryAt: number | undefined
  #pauseMs = MIN_PAUSE_MS

  constructor(onChange: OnChange, trialMs: number) {
    this.#onChange = onChange
    this.#trialMs = trialMs
  }

  get isOpen(): boolean {
    return this.#tryAt !== undefined
  }

  get mayTry(): boolean {
    return this.#tryAt === undefined || performance.now() >= this.#tryAt
  }

  /** Records the start of a delivery. @returns whether it tests an open circuit */
  begin(): boolean {
    const isTrial = this.isOpen
    if (isTrial) this.#tryAt = performance.now() + this.#trialMs
    return isTrial
  }

  /** Records the outcome of a delivery. @returns the outcome, reinterpreted given the deliveries before it */
  end(result: Delivery, recipient: string, isTrial: boolean): Delivery {
    const delivery = this.#rejections.classify(result, recipient)
    if (!isServersFailure(delivery)) {
      this.#close()
      return delivery
    }
    this.#failuresInARow += 1
    const isEnough = this.#failuresInARow >= MAX_FAILURES || this.#rejections.areAboutUs
    // Deliveries that began before the circuit opened do not prolong the pause.
    if (this.isOpen ? isTrial : isEnough) this.#open('failure' in delivery ? delivery.failure : undefined)
    return delivery
  }

  #open(failure: string | undefined): void {
    const wasOpen = this.isOpen
    this.#tryAt = performance.now() + this.#pauseMs
    this.#pauseMs = Math.min(this.#pauseMs * 2, waits.failingMailServer)
    if (!wasOpen) this.#onChange(true, failure)
  }

  #close(): void {
    this.#failuresInARow = 0
    if (!this.isOpen) return
    this.#tryAt = undefined
    this.#pauseMs = MIN_PAUSE_MS
    this.#onChange(false, undefined)
  }
}

/** Checks whether an outcome concerns the server and not only the message. */
const isServersFailure = (delivery: Delivery): boolean =>
  delivery.kind === 'unknown' || (delivery.kind === 'not-sent' && delivery.serverFailed)
