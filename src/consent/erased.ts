import { type SuppressionReason, suppressHashes } from '../contacts/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { emailKey } from '../platform/email-address.ts'
import { addressesOfErased, hashesOfErased, hashOfErasedAddress, recordProcessedEvents } from './erased-queries.ts'
import { hasContact } from './queries.ts'
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
  const erased = await hashesOfErased(em, contactId)
  if (!erased) return false
  const { workspaceId, hashes } = erased
  // With several addresses, nobody knows which one a complaint is about.
  const kept = hashes.length > 1 ? 'UNSUBSCRIBED' : reason
  // First, and in a statement of its own: a contact that is created afterwards is mailed nothing.
  await suppressHashes(em, workspaceId, hashes, kept)
  for (const email of await addressesOfErased(em, contactId))
    await suppressAtOnce(dependencies, workspaceId, email, kept)
  return true
}

/**
 * The same by an address alone, as mail providers tell it: whoever was mailed there and is erased wants no more, and nobody else is mailed
 * there, either. May be repeated: what is told again is processed_events once, so that a suppression that somebody lifts stays lifted.
 *
 * @param by.told by what it is told again; `null`: nobody knows
 */
export async function suppressAtErased(
  dependencies: Dependencies,
  workspaceId: string,
  email: string,
  { reason, told }: { reason: Extract<SuppressionReason, 'UNSUBSCRIBED' | 'COMPLAINED'>; told: string | null },
): Promise<void> {
  const em = dependencies.em.fork()
  const key = emailKey(email)
  // First, and for itself, without the address: it is kept of nobody who is erased.
  const hash = await hashOfErasedAddress(em, workspaceId, key, told)
  if (!hash) return
  await suppressHashes(em, workspaceId, [hash], reason)
  if (await hasContact(em, workspaceId, key)) await suppressAtOnce(dependencies, workspaceId, email, reason)
  if (told !== null) await recordProcessedEvents(em, workspaceId, key, told)
}
