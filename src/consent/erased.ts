import type { SuppressionReason } from '../contacts/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { unitOf } from '../platform/db/sql.ts'
import { addressOfErased, suppressErased } from './erased-queries.ts'
import { afterSuppressing, suppressAddress } from './suppress.ts'

/**
 * Does what somebody wants by a link that is older than her erasure: her address is mailed no more, also where somebody has made a
 * contact of it again. May be repeated.
 */
export async function suppressOfErased(
  dependencies: Dependencies,
  contactId: string,
  reason: SuppressionReason,
): Promise<void> {
  const em = dependencies.em.fork()
  // First, and for itself: whoever comes to be behind it is mailed nothing. Once, because looking for who has been there before takes long.
  const workspaceId = await suppressErased(unitOf(em), contactId, reason)
  if (workspaceId === undefined) return
  const email = await addressOfErased(em, contactId)
  if (email === undefined) return
  const { due } = await unitOf(em).transactional((unit) => suppressAddress(unit, workspaceId, { email, reason }))
  await afterSuppressing(dependencies, workspaceId, { email }, due)
}
