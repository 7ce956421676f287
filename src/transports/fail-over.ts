import type { Delivery, HandOver, MailTransport, Permit } from './transport.ts'

/** How long one that failed elsewhere waits for a connection of the next server, in milliseconds: it keeps a slot of its worker. */
const NEXT_MS = 3_000

/**
 * Several servers in an order: each message goes to the first one, and to the next where it is certain that it has not been sent, and that
 * the server is to blame. Of which nobody knows whether it was sent, no other one is told; and what a server puts off or refuses for its
 * own sake another one would, too.
 *
 * @param transports the first one first, each with a circuit breaker of its own: a server that fails is passed by at once
 */
export function withFailOver(transports: readonly MailTransport[]): MailTransport {
  const [first, ...others] = transports
  if (!first) throw new Error('There is no mail server')
  if (others.length === 0) return first

  const failingOver = (turn: string, permit: Permit, rest: readonly MailTransport[]): Permit => ({
    release: () => permit.release(),
    async deliver(email, handOver) {
      const once = askingOnce(handOver)
      let delivery = await permit.deliver(email, once)
      for (const next of rest) {
        if (!isToBeTriedElsewhere(delivery) || handOver.breakOff?.aborted) return delivery
        const another = await permitInTime(next, turn, handOver.breakOff)
        if (!another) return delivery
        const later = await another.deliver(email, once)
        // What the first one says of itself is what is to be mended.
        if (!isToBeTriedElsewhere(later)) return later
        delivery = { ...delivery, reason: `${delivery.reason}; and the next one: ${later.reason}` }
      }
      return delivery
    },
  })
  return {
    async permitSoon(turn) {
      for (const [n, transport] of transports.entries()) {
        const permit = await transport.permitSoon(turn)
        if (permit) return failingOver(turn, permit, transports.slice(n + 1))
        // One that is only busy is waited for.
        if (!transport.isFailing?.(turn)) return undefined
      }
      return undefined
    },
    permit: async (turn, signal) => failingOver(turn, await first.permit(turn, signal), others),
    async tryConnection() {
      const failures = await Promise.all(transports.map((transport) => transport.tryConnection()))
      const found = failures.flatMap((failure, n) => (failure === undefined ? [] : [`server ${n + 1}: ${failure}`]))
      return found.length === 0 ? undefined : found.join('; ')
    },
    isFailing: (turn) => transports.every((transport) => transport.isFailing?.(turn) ?? false),
    drain() {
      for (const transport of transports) transport.drain()
    },
    async close() {
      await Promise.all(transports.map((transport) => transport.close()))
    },
  }
}

const isToBeTriedElsewhere = (delivery: Delivery): delivery is Extract<Delivery, { kind: 'not-sent' }> =>
  delivery.kind === 'not-sent' && delivery.serverFailed && delivery.inconclusive !== true

/** Whether a message may flow is asked once, whatever server waits for it: by then it is claimed, as long as that holds. */
function askingOnce(handOver: HandOver): HandOver {
  let begun: Promise<boolean> | undefined
  return {
    ...handOver,
    begin: () => {
      if (begun) return begun.then((mayBegin) => mayBegin && (handOver.mayGoOn?.() ?? true))
      return (begun = handOver.begin())
    },
  }
}

async function permitInTime(
  transport: MailTransport,
  turn: string,
  breakOff: AbortSignal | undefined,
): Promise<Permit | undefined> {
  const signals = [AbortSignal.timeout(NEXT_MS), ...(breakOff ? [breakOff] : [])]
  try {
    return await transport.permit(turn, AbortSignal.any(signals))
  } catch {
    return undefined
  }
}
