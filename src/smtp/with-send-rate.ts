import { setTimeout as delay } from 'node:timers/promises'
import type { ConnectionSlot, MailTransport } from './transport.ts'

/** Milliseconds after which a turn is asked for again if none begins soon. */
const ASK_AGAIN_MS = 500

/**
 * Limits the rate of a transport.
 *
 * @param options.takeTurn takes a turn that begins soon. @returns the milliseconds until then; `undefined` if none does
 * @param options.perSecond the rate of all processes together
 */
export function withSendRate(
  transport: MailTransport,
  {
    takeTurn,
    perSecond,
    connections,
  }: { takeTurn: () => Promise<number | undefined>; perSecond: number; connections: number },
): MailTransport {
  async function inTurn(slot: ConnectionSlot, signal?: AbortSignal): Promise<ConnectionSlot | undefined> {
    try {
      for (;;) {
        const waitMs = await takeTurn()
        if (waitMs === undefined && !signal) break
        await delay(waitMs ?? ASK_AGAIN_MS, undefined, signal && { signal })
        if (waitMs !== undefined) return slot
      }
    } catch (error) {
      slot.release()
      signal?.throwIfAborted()
      throw error
    }
    slot.release()
    return undefined
  }
  return {
    ...transport,
    async permitSoon(turn) {
      const slot = await transport.permitSoon(turn)
      return slot && inTurn(slot)
    },
    async permit(turn, signal) {
      return (await inTurn(await transport.permit(turn, signal), signal))!
    },
    // All connections together take no more than the rate.
    usualMs: () => Math.max(transport.usualMs?.() ?? 0, (connections * 1_000) / perSecond),
  }
}
