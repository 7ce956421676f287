import { ApiError } from '../platform/api-error.ts'
import { EMAIL_TAKEN, EXTERNAL_ID_TAKEN } from './errors.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { inTransaction } from '../platform/db/sql.ts'
import { emailKey } from '../platform/email-address.ts'
import { isId } from '../platform/ids.ts'
import { splitMetadata } from './metadata.ts'
import { type ContactProfile, findContactIds } from './queries.ts'
import { getContact } from './search-contacts.ts'
import { copySuppressions } from './suppression-queries.ts'
import { incrementConsentVersion, storeFormerAddress, lockContacts, mergeMetadata, setFields } from './write-queries.ts'

/** The changes to a contact. Absent fields stay unchanged. */
export interface ContactChange {
  email?: string | undefined
  /** `null` removes it. */
  externalId?: string | null | undefined
  firstName?: string | null | undefined
  /** Merged key by key. A `null` removes the key. */
  metadata?: Record<string, unknown> | undefined
}

/**
 * Updates a contact. After a change of address, no email to the old one is claimed. Starts no automation.
 *
 * @param tellsWhose whether the caller may see the ID of another contact that has the address or the external ID
 * @throws {ApiError} `not-found`; `taken`
 */
export const updateContact = (
  em: EntityManager,
  workspaceId: string,
  id: string,
  change: ContactChange,
  tellsWhose: boolean,
): Promise<ContactProfile> =>
  inTransaction(em, async (unit) => {
    const { email, externalId, firstName, metadata = {} } = change
    // Orders this before or after a concurrent opt-out: either the opt-out is carried to the new address, or it is written for
    // it.
    if (isId(id)) await lockContacts(unit, workspaceId, [id])
    const contact = await getContact(unit, workspaceId, id)
    await assertFree(unit, workspaceId, contact.id, change, tellsWhose)
    if (email !== undefined && email !== contact.email) {
      const [from, key] = [emailKey(contact.email), emailKey(email)]
      if (key !== from) {
        await copySuppressions(unit, workspaceId, { from, to: email, key })
        await storeFormerAddress(unit, contact.id)
      }
      // A message that was prepared for the old address is not claimed.
      await incrementConsentVersion(unit, [contact.id])
    }
    await setFields(unit, contact.id, { email, externalId, firstName })
    const { set, removedKeys } = splitMetadata(metadata)
    await mergeMetadata(unit, contact.id, set, removedKeys)
    return getContact(unit, workspaceId, id)
  })

/** @throws {ApiError} `taken` if another contact has the address or the externalId */
async function assertFree(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { email, externalId }: ContactChange,
  tellsWhose: boolean,
): Promise<void> {
  const { byEmail = id, byExternalId = id } = await findContactIds(em, workspaceId, { email, externalId })
  const message = (words: string, whose: string) => (tellsWhose ? { message: `${words}: ${whose}` } : {})
  if (byEmail !== id) throw new ApiError(EMAIL_TAKEN, { param: '/email', ...message(EMAIL_TAKEN.message, byEmail) })
  if (byExternalId !== id) {
    const details = message(EXTERNAL_ID_TAKEN.message, byExternalId)
    throw new ApiError(EXTERNAL_ID_TAKEN, { param: '/externalId', ...details })
  }
}
