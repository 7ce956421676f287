import { type SuppressionReason, suppressHashes } from '../contacts/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { emailKey } from '../platform/email-address.ts'
import { addressesOfErased, hashesOfErased, hashOfErasedAddress, recordProcessedEvents } from './erased-queries.ts'
import { hasContact } from './queries.ts'
import { suppressAndWait } from './suppress.ts'

/**
 * Applies a request from a link that is older than the contact's erasure. Suppresses all addresses at which the contact was
 * emailed, and contacts that were created again with them. Idempotent, and continues where an earlier attempt failed.
 *
 * @param reason `COMPLAINED` is about one address. If the contact had several, it is unknown which one, and all are stored as
 * `UNSUBSCRIBED`
 * @returns whether the erased contact is known
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
  // With several addresses, it is unknown which one the complaint is about.
  const kept = hashes.length > 1 ? 'UNSUBSCRIBED' : reason
  // First, in its own statement: a contact that is created afterwards is not emailed.
  await suppressHashes(em, workspaceId, hashes, kept)
  for (const email of await addressesOfErased(em, contactId))
    await suppressAndWait(dependencies, workspaceId, email, kept)
  return true
}

/**
 * Suppresses the address of an erased contact when a mail provider reports it, and the contact that has the address now.
 * Idempotent: a repeated notification is ignored, so that a suppression that was deleted stays deleted.
 *
 * @param by.told identifies the notification; `null` if it has no ID
 */
export async function suppressAtErased(
  dependencies: Dependencies,
  workspaceId: string,
  email: string,
  { reason, told }: { reason: Extract<SuppressionReason, 'UNSUBSCRIBED' | 'COMPLAINED'>; told: string | null },
): Promise<void> {
  const em = dependencies.em.fork()
  const key = emailKey(email)
  // First, in its own statement, and by hash: the addresses of erased contacts are not stored.
  const hash = await hashOfErasedAddress(em, workspaceId, key, told)
  if (!hash) return
  await suppressHashes(em, workspaceId, [hash], reason)
  if (await hasContact(em, workspaceId, key)) await suppressAndWait(dependencies, workspaceId, email, reason)
  if (told !== null) await recordProcessedEvents(em, workspaceId, key, told)
}
