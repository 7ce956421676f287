import { Circuit } from './circuit.ts'
import { FailuresOfAll, FailuresOfOne, isUnreachable } from './failures.ts'
import type { Delivery, MailTransport, Permit } from './transport.ts'

const broken = (forWhom: string): Delivery => ({
  kind: 'not-sent',
  serverFailed: true,
  unreachable: true,
  reason: `The mail server has failed several times in a row${forWhom}, and is tried by one message at a time`,
})

/** @param turn whose messages wait, as permits are asked for with it; `undefined` where everybody's do. */
export type OnChange = (open: boolean, failure: string | undefined, turn: string | undefined) => void

/** How long the one message that tries a server for all keeps others from trying, in milliseconds: its recipient may be slow. */
const TRIAL_MS = 10_000
/** How long a workspace whose messages wait is reckoned with, in milliseconds: they come again within five minutes (`src/messages/send-message.ts`). */
const RECKONED_MS = 360_000

/**
 * Opens the circuit to a mail server that does not answer, that breaks off, or that refuses us: messages are then not sent at once, instead
 * of each waiting for a connection that does not come, or being one more of which nobody knows where it is. One message at a
 * time tries whether the server is back.
 *
 * What a server does with a message may be about that message, and one workspace can write as many of such as it likes: so
 * each has a circuit of its own, and that of all opens when the server is not reached, or fails for several of them. Who has
 * failed by himself, or has tried that of all in vain, lets those try first who have not.
 *
 * @param onChange told when a circuit opens (`true`), with the failure that opened it, and when it is closed again.
 */
export function withCircuitBreaker(
  transport: MailTransport,
  onChange: OnChange,
  { trialMs = TRIAL_MS } = {},
): MailTransport {
  const trials = new Trials()
  const ofAll = new Circuit(
    new FailuresOfAll(),
    (open, failure) => {
      trials.beginAnew()
      onChange(open, failure, undefined)
    },
    trialMs,
  )
  const ofOne = new Map<string, { circuit: Circuit; failures: FailuresOfOne }>()
  const ownOf = (turn: string) => {
    const known = ofOne.get(turn)
    if (known) return known
    const failures = new FailuresOfOne()
    const own = { failures, circuit: new Circuit(failures, (open, failure) => onChange(open, failure, turn)) }
    ofOne.set(turn, own)
    return own
  }

  const guarded = (turn: string, permit: Permit): Permit => ({
    release: () => permit.release(),
    async deliver(email, handOver) {
      const own = ownOf(turn)
      const refuse = (forWhom: string) => {
        permit.release()
        return broken(forWhom)
      }
      if (!own.circuit.mayTry) return refuse(' with messages of this workspace')
      if (ofAll.isOpen && !trials.mayTry(turn, own.circuit.isOpen, ofAll.mayTry)) return refuse('')
      const attempts = { own: own.circuit.begin(turn), ofAll: ofAll.begin(turn) }
      if (attempts.ofAll.isTrial) trials.begin(turn)
      try {
        const answer = await permit.deliver(email, handOver)
        if (answer.kind === 'not-sent' && answer.inconclusive) {
          attempts.own.saidNothing()
          attempts.ofAll.saidNothing()
          return answer
        }
        const delivery = own.failures.classify(answer, email.to)
        // Who does not reach the server learns nothing of what it does with these messages.
        if (isUnreachable(delivery)) attempts.own.saidNothing()
        else attempts.own.ended(delivery)
        attempts.ofAll.ended(delivery)
        return delivery
      } catch (error) {
        attempts.own.saidNothing()
        attempts.ofAll.saidNothing()
        throw error
      } finally {
        if (attempts.ofAll.isTrial) trials.end(turn)
      }
    },
  })
  return {
    ...transport,
    async permitSoon(turn) {
      const isOpen = ofAll.isOpen || ownOf(turn).circuit.isOpen
      const permit = isOpen ? undefined : await transport.permitSoon(turn)
      return permit && guarded(turn, permit)
    },
    permit: async (turn, signal) => guarded(turn, await transport.permit(turn, signal)),
    // When it is time to try, whoever has the time tries.
    isFailing: (turn) => !ofAll.mayTry || !ownOf(turn).circuit.mayTry,
  }
}

/** Whose turn it is to try the circuit of all, while it is open. */
class Trials {
  /** Whose messages wait for the circuit of all, and for no other, and when one of them was last seen. */
  private readonly waiting = new Map<string, number>()
  /** Who has tried in vain since it opened, or since all had. */
  private readonly inVain = new Set<string>()
  /** Who tries at this moment: a second one of the same would tell no more. */
  private readonly trying = new Set<string>()

  /** @param isDue whether somebody may try now */
  mayTry(turn: string, hasFailedAlone: boolean, isDue: boolean): boolean {
    if (this.trying.has(turn)) return false
    const now = performance.now()
    for (const [other, seen] of this.waiting) if (now - seen > RECKONED_MS) this.waiting.delete(other)
    const isFirst = !hasFailedAlone && !this.inVain.has(turn)
    if (isFirst) this.waiting.set(turn, now)
    else this.waiting.delete(turn)
    return isDue && (isFirst || this.waiting.size === 0)
  }

  begin(turn: string): void {
    if (this.inVain.has(turn)) this.inVain.clear()
    this.trying.add(turn)
    this.waiting.delete(turn)
  }

  end(turn: string): void {
    this.trying.delete(turn)
    this.inVain.add(turn)
  }

  /** The circuit has opened, or closed. */
  beginAnew(): void {
    this.waiting.clear()
    this.inVain.clear()
  }
}
