/**
 * Leases of messages in flight: how long a claim belongs to its owner, how the owner renews it, and how a request that stops
 * something waits for it.
 *
 * The rules fit together as follows. A claim carries a lease of 30 s, which its owner renews every 10 s. An owner that cannot
 * renew it aborts the transmission 3 s before the lease expires. A process that finds an expired lease may assume that the owner
 * is dead. A request that stops something (a pause, an unsubscribe, an erasure) waits up to 3.5 s for the leases that it covers,
 * and a sender starts transmitting at most 3 s after it sent its claim. So no transmission starts after the response to the
 * request.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { EntityManager } from '../platform/db/orm.ts'
import { waits } from '../platform/waits.ts'
import { renewLeases } from './lease-queries.ts'
import { LEASE_SECONDS } from './write-queries.ts'

const RENEW_MS = (LEASE_SECONDS * 1000) / 3

/**
 * Milliseconds before the end of its lease at which a transmission is aborted, because clocks differ and closing takes a moment.
 */
const MARGIN_MS = 3_000

/**
 * Milliseconds after sending its claim within which a sender may start to transmit: less than the time for which a request waits for
 * the messages that it stops (`waits.stop`).
 */
export const BEGIN_WITHIN_MS = 3_000
const MAX_PAUSE_MS = 250

/** Error of a message whose sender stopped before it reported an outcome. */
export const SENDER_STOPPED_ERROR =
  'The sending process stopped after it began to transmit the message and before it received the response'
/** Seconds after which a claim counts as abandoned. Usually the next attempt of its enrollment or campaign finds it earlier. */
export const ABANDONED_SECONDS = 60

/** The lease of one transmission. */
export interface SendLease {
  /** Aborted when the lease could not be renewed in time, or the claim is no longer ours. */
  readonly breakOff: AbortSignal
  /** Records that the claim succeeded. Its statement was sent at this reading of `performance.now()`. */
  claimed(sentAt: number): void
  /**
   * Whether data may still be transmitted. Checked right before each transmission, because a process can be suspended anywhere.
   */
  holds(): boolean
  end(): void
}

/**
 * Keeps the leases of this process's claims. Aborts the transmission immediately if the claim is lost: another process assumed
 * that its owner is dead, or Postgres's clock is ahead of ours.
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
    lease.timer = setTimeout(() => lease.breakOff.abort(new Error('The lease of the claim expired')), left)
  }

  const lose = (claim: string) => {
    const lease = held.get(claim)
    if (!lease) return
    lease.until = 0
    lease.breakOff.abort(new Error('The claim was lost'))
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
    /** Waits until every transmission has ended and its outcome is recorded. */
    idle: (): Promise<void> => (held.size === 0 ? Promise.resolve() : idle.promise),
    /** Begins a transmission whose claim will have this ID. */
    begin(claim: string): SendLease {
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

/**
 * Waits until none of the messages that a request stops is in flight. Holds no connection to Postgres while it waits.
 *
 * @param count returns the number in flight
 * @returns whether none are left; false after 3.5 s
 */
export async function waitForSenders(count: () => Promise<number>): Promise<boolean> {
  const deadline = performance.now() + waits.stop
  for (let pause = 20; (await count()) > 0; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    const left = deadline - performance.now()
    if (left <= 0) return false
    await delay(Math.min(pause, left))
  }
  return true
}
