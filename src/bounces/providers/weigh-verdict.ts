import { type BounceCategory, isAboutUs, kindOf } from '../categories.ts'
import type { Cause, Verdict } from '../verdict.ts'

/** The structured verdict of a provider. */
export interface ProviderVerdict {
  /** `undefined` if the provider does not name the cause. */
  category: BounceCategory | undefined
  isPermanent: boolean
}

/**
 * Combines the verdict of a provider with the reply that it reports. The provider's cause wins, because it is structured, except
 * over a reply about us: providers also call a blocklisted sender a permanent failure. A temporary reply is never HARD. A
 * permanent failure without a cause is about the address.
 */
export function weighVerdict(reply: Cause, { category: named, isPermanent }: ProviderVerdict): Verdict {
  const isStated = reply.category !== 'UNKNOWN'
  const isOverruled =
    named === undefined || (isStated && named === 'CONNECTION') || (isAboutUs(reply.category) && !isAboutUs(named))
  const isUnexplained = named === undefined && !isStated && isPermanent
  const category = isUnexplained ? 'MAILBOX_NOT_FOUND' : isOverruled ? reply.category : named
  return { kind: kindOf(category, isPermanent && reply.isPermanent), category, status: reply.status }
}
