import { addTags, removeTag, tagPage } from '../db/queries/tags.ts'
import { notFound } from '../domain/errors.ts'
import { isId } from '../domain/ids.ts'
import { findJsonFault } from '../domain/json.ts'
import { uniqueTags } from '../domain/tags.ts'
import { foldName } from '../domain/triggers.ts'
import type { EntityManager } from '../db/orm.ts'
import { unitOf } from '../db/sql.ts'
import type { ContactProfile } from '../db/queries/contacts.ts'
import { contactNotFound, getContact } from './contacts.ts'
import { deliverAtOnce } from './deliver.ts'
import { whenDurable, type Call } from './call.ts'
import type { Dependencies } from './dependencies.ts'

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
  if (!isId(contactId)) throw contactNotFound()
  const em = unitOf(dependencies.em)
  const deliveries = await addTags(em, workspaceId, contactId, uniqueTags(names), call.requestId)
  if (!deliveries) throw contactNotFound()
  await whenDurable(dependencies, call, () => deliverAtOnce(dependencies, deliveries))
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
  if (!storable || !(await removeTag(em.fork(), workspaceId, contactId, foldName(name.trim())))) {
    throw notFound('Contact does not have this tag')
  }
}
