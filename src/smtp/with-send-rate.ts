import { setTimeout as delay } from 'node:timers/promises'
import type { ConnectionSlot, MailTransport } from './transport.ts'

/** Milliseconds after which a turn is requested again if none begins soon. */
const RETRY_MS = 500

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
  /** Waits for a turn. Releases the slot if that fails. */
  async function inTurn(slot: ConnectionSlot, signal: AbortSignal): Promise<ConnectionSlot> {
    try {
      for (;;) {
        const waitMs = await takeTurn()
        if (waitMs === undefined) await delay(RETRY_MS, undefined, { signal })
        else {
          // It is soon. Nothing else can use it.
          await delay(waitMs)
          return slot
        }
      }
    } catch (error) {
      slot.release()
      signal.throwIfAborted()
      throw error
    }
  }

  /** Waits for a turn if it is soon. Releases the slot if it is not. */
  async function inTurnSoon(slot: ConnectionSlot): Promise<ConnectionSlot | undefined> {
    try {
      const waitMs = await takeTurn()
      if (waitMs !== undefined) {
        await delay(waitMs)
        return slot
      }
    } catch (error) {
      slot.release()
      throw error
    }
    slot.release()
    return undefined
  }

  return {
    ...transport,
    async permitSoon(turn) {
      const slot = await transport.permitSoon(turn)
      return slot && inTurnSoon(slot)
    },
    async permit(turn, signal) {
      return inTurn(await transport.permit(turn, signal), signal)
    },
    // All connections together take no more than the rate.
    usualMs: () => Math.max(transport.usualMs?.() ?? 0, (connections * 1_000) / perSecond),
  }
}
