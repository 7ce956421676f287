import type { Dependencies } from '../outbox/index.ts'
import { type Call, whenDurable } from '../platform/call.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Range } from '../platform/db/range.ts'
import { inTransaction } from '../platform/db/sql.ts'
import { isId } from '../platform/ids.ts'
import { findJsonFault } from '../platform/json.ts'
import { ApiError } from '../platform/api-error.ts'
import { assertQueueNotFull, foldName } from '../triggers/index.ts'
import { CONTACT_LIMITS, MAX_TAGS_OF_CONTACT } from './contact-limits.ts'
import { triggerOccurrencesOf } from './happenings.ts'
import { type ContactProfile, type Tag, tagPage } from './queries.ts'
import { CONTACT_NOT_FOUND, TAG_NOT_FOUND } from './errors.ts'
import { getContact } from './search-contacts.ts'
import { uniqueTags } from './tag.ts'
import { writeMemberships } from './write-memberships.ts'
import { deleteTags, insertTags, loadTagKeys, lockContacts } from './write-queries.ts'

/** A page of a workspace's tags with the number of contacts of each, and the total of tags. */
export const listTags = (
  em: EntityManager,
  workspaceId: string,
  range: Range,
): Promise<{ tags: Tag[]; total: number }> => tagPage(em.fork(), workspaceId, range)

/** Adds tags to a contact. Only new ones start automations. @throws {ApiError} `not-found`; `invalid` beyond the limit */
export async function tagContact(
  dependencies: Dependencies,
  workspaceId: string,
  contactId: string,
  names: readonly string[],
  call: Call,
): Promise<ContactProfile> {
  if (!isId(contactId)) throw new ApiError(CONTACT_NOT_FOUND)
  await assertQueueNotFull(dependencies, workspaceId)
  const deliveries = await inTransaction(dependencies.em, async (unit) => {
    const [contact] = await lockContacts(unit, workspaceId, [contactId])
    if (!contact) throw new ApiError(CONTACT_NOT_FOUND)
    const { id, isUnconfirmed } = contact
    const tags = (await loadTagKeys(unit, [id])).get(id) ?? new Set()
    const newTags = uniqueTags(names).filter(({ key }) => !tags.has(key))
    if (newTags.length > 0 && tags.size + newTags.length > MAX_TAGS_OF_CONTACT)
      throw new ApiError(CONTACT_LIMITS.contact_tags_most)
    await insertTags(
      unit,
      workspaceId,
      newTags.map((tag) => ({ contactId: id, ...tag })),
    )
    const happenings = triggerOccurrencesOf({
      contactId: id,
      isCreated: false,
      wasUnconfirmed: isUnconfirmed,
      isUnconfirmed,
      newTags: newTags.map(({ key }) => key),
    })
    const { requestId } = call
    return writeMemberships(unit, { workspaceId, requestId, isBulk: false }, [], happenings)
  })
  await whenDurable(dependencies, call, () => dependencies.deliverAtOnce(dependencies, deliveries))
  return getContact(dependencies.em, workspaceId, contactId)
}

/** Removes a tag from a contact. @throws {ApiError} `not-found` */
export async function untagContact(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  name: string,
): Promise<void> {
  await getContact(em, workspaceId, contactId)
  const storable = findJsonFault(name) === undefined
  if (!storable || !(await deleteTags(em, workspaceId, contactId, [foldName(name.trim())]))) {
    throw new ApiError(TAG_NOT_FOUND)
  }
}
