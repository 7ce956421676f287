import type { SuppressionReason } from '../contacts/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { addressesOfErased, suppressErased } from './erased-queries.ts'
import { suppressAtOnce } from './suppress.ts'

/**
 * Does what somebody wants by a link that is older than her erasure: the addresses at which she was mailed are mailed no more, also where
 * somebody has made a contact of them again. May be repeated, and is done anew where it broke off.
 *
 * @param reason `COMPLAINED` is of one address: where she had several, nobody knows of which, and it is no more than that she wants none
 * @returns whether anything is known of her
 */
export async function suppressOfErased(
  dependencies: Dependencies,
  contactId: string,
  reason: Extract<SuppressionReason, 'UNSUBSCRIBED' | 'COMPLAINED'>,
): Promise<boolean> {
  const em = dependencies.em.fork()
  // First, and for itself: whoever comes to be behind it is mailed nothing.
  const suppressed = await suppressErased(em, contactId, reason)
  if (!suppressed) return false
  for (const email of await addressesOfErased(em, contactId))
    await suppressAtOnce(dependencies, suppressed.workspaceId, email, suppressed.reason)
  return true
}
