import type { ProviderPace } from './provider-pace.ts'
import type { ConnectionSlot, MailTransport } from './transport.ts'

/** Lets a transport learn how fast each receiving provider takes mail. Senders ask `pace` before they take a connection. */
export function withProviderPace(transport: MailTransport, pace: ProviderPace): MailTransport {
  const observed = (slot: ConnectionSlot): ConnectionSlot => ({
    release: () => slot.release(),
    async deliver(email, handOver) {
      const delivery = await slot.deliver(email, handOver)
      if (delivery.kind === 'taken') pace.accepted(email.to)
      else if (delivery.kind === 'not-sent' && delivery.isTooFast) pace.tooFast(email.to)
      return delivery
    },
  })
  return {
    ...transport,
    pace,
    async permitSoon(turn) {
      const slot = await transport.permitSoon(turn)
      return slot && observed(slot)
    },
    permit: async (turn, signal) => observed(await transport.permit(turn, signal)),
  }
}
