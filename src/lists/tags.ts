import { TAG_NOT_FOUND } from './refusals.ts'
import { assertNotCrowded, foldName } from '../triggers/index.ts'
import { addTags, removeTag, tagPage } from './tag-queries.ts'
import { Refusal } from '../platform/refusal.ts'
import { isId } from '../platform/ids.ts'
import { findJsonFault } from '../platform/json.ts'
import { CONTACT_NOT_FOUND, type ContactProfile, getContact, uniqueTags } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { whenDurable, type Call } from '../platform/call.ts'
import type { Dependencies } from '../outbox/index.ts'

/** A page of a workspace's tags with the number of contacts of each, and how many tags there are. */
export const listTags = (em: EntityManager, workspaceId: string, range: { limit: number; offset: number }) =>
  tagPage(em.fork(), workspaceId, range)

/** Gives a contact tags; only those it did not have start automations. @throws {Refusal} `not-found` */
export async function tagContact(
  dependencies: Dependencies,
  workspaceId: string,
  contactId: string,
  names: readonly string[],
  call: Call,
): Promise<ContactProfile> {
  if (!isId(contactId)) throw new Refusal(CONTACT_NOT_FOUND)
  await assertNotCrowded(dependencies, workspaceId)
  const em = unitOf(dependencies.em)
  const deliveries = await addTags(em, workspaceId, contactId, uniqueTags(names), call.requestId)
  if (!deliveries) throw new Refusal(CONTACT_NOT_FOUND)
  await whenDurable(dependencies, call, () => dependencies.deliverAtOnce(dependencies, deliveries))
  return getContact(dependencies.em, workspaceId, contactId)
}

/** Takes a tag from a contact. @throws {Refusal} `not-found` */
export async function untagContact(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  name: string,
): Promise<void> {
  await getContact(em, workspaceId, contactId)
  const storable = findJsonFault(name) === undefined
  if (!storable || !(await removeTag(unitOf(em), workspaceId, contactId, foldName(name.trim())))) {
    throw new Refusal(TAG_NOT_FOUND)
  }
}
