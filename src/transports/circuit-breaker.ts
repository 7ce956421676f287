import { createCircuit, type Circuit } from './circuit.ts'
import { FailuresOfAll, FailuresOfOne } from './failures.ts'
import type { Delivery, MailTransport, Permit } from './transport.ts'

const broken = (forWhom: string): Delivery => ({
  kind: 'not-sent',
  serverFailed: true,
  unreachable: true,
  reason: `The mail server has failed several times in a row${forWhom}, and is tried by one message at a time`,
})

/** @param turn whose messages wait, as permits are asked for with it; `undefined` where everybody's do. */
export type OnChange = (open: boolean, failure: string | undefined, turn: string | undefined) => void

/**
 * Opens the circuit to a mail server that does not answer, that breaks off, or that refuses us: messages are then not sent at once, instead
 * of each waiting for a connection that does not come, or being one more of which nobody knows where it is. One message at a
 * time tries whether the server is back.
 *
 * What a server does with a message may be about that message, and one workspace can write as many of such as it likes: so
 * each has a circuit of its own, and that of all opens when the server is not reached, or fails for several of them.
 *
 * @param onChange told when a circuit opens (`true`), with the failure that opened it, and when it is closed again.
 */
export function withCircuitBreaker(transport: MailTransport, onChange: OnChange): MailTransport {
  /** Whose messages wait for the circuit of all, and for no other: these try it, and not whoever has failed by himself. */
  const innocent = new Set<string>()
  const ofAll = createCircuit(new FailuresOfAll(), (open, failure) => {
    innocent.clear()
    onChange(open, failure, undefined)
  })
  const ofOne = new Map<string, { circuit: Circuit; failures: FailuresOfOne }>()
  const ownOf = (turn: string) => {
    const known = ofOne.get(turn)
    if (known) return known
    const failures = new FailuresOfOne()
    const own = { failures, circuit: createCircuit(failures, (open, failure) => onChange(open, failure, turn)) }
    ofOne.set(turn, own)
    return own
  }

  const guarded = (turn: string, permit: Permit): Permit => ({
    release: () => permit.release(),
    async deliver(email, handOver) {
      const { circuit, failures } = ownOf(turn)
      const deliver = async () => failures.judge(await permit.deliver(email, handOver), email.to)
      const refuse = (forWhom: string) => {
        permit.release()
        return broken(forWhom)
      }
      const isSuspect = circuit.isOpen
      const delivery = await circuit.try(turn, async () => {
        if (ofAll.isOpen && isSuspect && innocent.size > 0) return refuse('')
        const delivery = await ofAll.try(turn, deliver)
        if (!delivery && !isSuspect) innocent.add(turn)
        return delivery ?? refuse('')
      })
      return delivery ?? refuse(' with messages of this workspace')
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
  }
}
