import { Refusal } from '../platform/refusal.ts'
import { EMAIL_TAKEN, EXTERNAL_ID_TAKEN } from './refusals.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { emailKey } from '../platform/email-address.ts'
import { isId } from '../platform/ids.ts'
import { type ContactProfile, findContactIds } from './queries.ts'
import { getContact } from './search-contacts.ts'
import { carryWish, changeContact, type ContactChange, lockForAddress } from './update-queries.ts'

/**
 * Changes a contact, its address included: no email is claimed for the old one after that. It starts nothing.
 *
 * @param tellsWhose whether the caller may learn which other contact has the address, or the externalId.
 * @throws {Refusal} `not-found`; `taken`
 */
export async function updateContact(
  em: EntityManager,
  workspaceId: string,
  id: string,
  change: ContactChange,
  tellsWhose: boolean,
): Promise<ContactProfile> {
  const unit = unitOf(em)
  const { email, externalId } = change
  // Whoever unsubscribes her at this moment is before it, or behind it: what she has said is carried, or is said of the new address.
  if (email !== undefined && isId(id)) await lockForAddress(unit, workspaceId, id)
  const contact = await getContact(unit, workspaceId, id)
  const { byEmail = id, byExternalId = id } = await findContactIds(unit, workspaceId, { email, externalId })
  const message = (words: string, whose: string) => (tellsWhose ? { message: `${words}: ${whose}` } : {})
  if (byEmail !== contact.id) {
    throw new Refusal(EMAIL_TAKEN, { param: '/email', ...message(EMAIL_TAKEN.message, byEmail) })
  }
  if (byExternalId !== contact.id) {
    throw new Refusal(EXTERNAL_ID_TAKEN, {
      param: '/externalId',
      ...message(EXTERNAL_ID_TAKEN.message, byExternalId),
    })
  }
  if (email !== undefined && emailKey(email) !== emailKey(contact.email))
    await carryWish(unit, workspaceId, { from: emailKey(contact.email), to: email, key: emailKey(email) })
  await changeContact(unit, workspaceId, id, change)
  // Erased in this very moment, it is not found.
  return getContact(unit, workspaceId, id)
}
