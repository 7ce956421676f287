import { LEASE_SECONDS, renewLeases } from './claim-queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'

/** How often the leases of what takes long are renewed, in milliseconds: twice before one runs out. */
const RENEW_MS = (LEASE_SECONDS * 1000) / 3

/** How much earlier than its lease a hand-over is broken off, in milliseconds: clocks tick apart, and closing takes a moment. */
const MARGIN_MS = 3_000

/** One hand-over's time: until when it may go on. */
export interface HandOverLease {
  /** Aborted when the lease could not be renewed in time, or the claim is another's: the hand-over has to be broken off. */
  readonly breakOff: AbortSignal
  /** Says that the claim was made, by a statement that was sent at this reading of `performance.now()`. */
  claimed(sentAt: number): void
  /** Whether anything may still flow: asked right before it does, because a process can be stopped for a while anywhere. */
  holds(): boolean
  end(): void
}

/**
 * Keeps the leases of this process's claims. Whoever deletes an automation or erases a contact waits for live leases, and
 * whoever finds a claim whose lease is over takes its owner for dead: so an owner that lives renews it, and one that can't
 * stops handing over before it is over. One whose claim is not its own any more stops at once: somebody took it for dead, or
 * the clock of Postgres went on faster than ours.
 */
export function createLeaseKeeper(em: EntityManager, renewMs = RENEW_MS) {
  const held = new Map<string, { until: number; breakOff: AbortController; timer: NodeJS.Timeout | undefined }>()
  let renewing: NodeJS.Timeout | undefined
  let idle = Promise.withResolvers<void>()

  const extend = (claim: string, sentAt: number) => {
    const lease = held.get(claim)
    if (!lease) return
    lease.until = sentAt + LEASE_SECONDS * 1000 - MARGIN_MS
    clearTimeout(lease.timer)
    const left = lease.until - performance.now()
    lease.timer = setTimeout(() => lease.breakOff.abort(new Error('The lease of the claim ran out')), left)
  }

  const lose = (claim: string) => {
    const lease = held.get(claim)
    if (!lease) return
    lease.until = 0
    lease.breakOff.abort(new Error('The claim is not ours any more'))
  }

  async function renew(): Promise<void> {
    const sentAt = performance.now()
    const claims = [...held].filter(([, { timer }]) => timer !== undefined).map(([claim]) => claim)
    if (claims.length === 0) return
    const renewed = await renewLeases(em.fork(), claims).catch(() => undefined)
    if (!renewed) return
    for (const claim of claims) {
      if (renewed.has(claim)) extend(claim, sentAt)
      else lose(claim)
    }
  }

  return {
    /** Waits until every hand-over has ended, and what came of it is recorded. */
    idle: (): Promise<void> => (held.size === 0 ? Promise.resolve() : idle.promise),
    /** Begins a hand-over that will be claimed under this name. */
    begin(claim: string): HandOverLease {
      const lease = { until: 0, breakOff: new AbortController(), timer: undefined as NodeJS.Timeout | undefined }
      held.set(claim, lease)
      renewing ??= setInterval(() => void renew(), renewMs).unref()
      return {
        breakOff: lease.breakOff.signal,
        claimed: (sentAt) => extend(claim, sentAt),
        holds: () => performance.now() < lease.until,
        end() {
          clearTimeout(lease.timer)
          held.delete(claim)
          if (held.size > 0) return
          clearInterval(renewing)
          renewing = undefined
          idle.resolve()
          idle = Promise.withResolvers()
        },
      }
    },
  }
}

export type LeaseKeeper = ReturnType<typeof createLeaseKeeper>
