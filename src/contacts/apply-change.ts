import { findExistingLists, optOutTimes, removeMembers } from '../lists/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { foldName } from '../triggers/index.ts'
import { splitMetadata } from './metadata.ts'
import { uniqueTags } from './tag.ts'
import { upsertBatch } from './upsert-batch.ts'
import type { ContactWrite } from './upsert-rules.ts'
import { deleteTags, incrementConsentVersion, lockContacts } from './write-queries.ts'

/** A change that an automation makes to a contact. */
export interface AppliedChange {
  set?: { firstName?: string | null; metadata?: Record<string, unknown> }
  addTags?: readonly string[]
  removeTags?: readonly string[]
  addToLists?: readonly string[]
  removeFromLists?: readonly string[]
}

/**
 * Applies a change to a contact. New tags and memberships start other automations, through the relay. A list that does not exist
 * is skipped, and so is one that the contact left: an automation is no request of the contact.
 *
 * @param em a transaction that has locked the lists to join: see docs/lock-order.md
 * @param depth the number of automations that caused each other, including this one
 * @returns what was not done, as sentences; `undefined` if the contact is deleted
 */
export async function applyChange(
  em: EntityManager,
  { workspaceId, contactId, depth }: { workspaceId: string; contactId: string; depth: number },
  { set = {}, addTags = [], removeTags = [], addToLists = [], removeFromLists = [] }: AppliedChange,
): Promise<string[] | undefined> {
  const [contact] = await lockContacts(em, workspaceId, [contactId])
  if (!contact) return undefined
  const skipped: string[] = []
  const lists = await listsToJoin(em, workspaceId, contactId, addToLists, skipped)
  const { set: metadata, removedKeys } = splitMetadata(set.metadata ?? {})
  const write = (listId: string | null): ContactWrite => ({
    id: contactId,
    email: contact.email,
    emailKey: contact.emailKey,
    externalId: null,
    firstName: set.firstName,
    metadata,
    removedKeys,
    listId,
    tags: uniqueTags(addTags),
  })
  const options = { isBulk: true, triggers: true, requestId: null, depth }
  // One list at a time: each write of a contact joins at most one.
  for (const listId of lists.length > 0 ? lists : [null]) {
    const { failed } = await upsertBatch(em, workspaceId, [write(listId)], options)
    for (const { message } of failed.values()) skipped.push(message)
  }
  const tagKeys = removeTags.map((name) => foldName(name.trim()))
  if (tagKeys.length > 0) await deleteTags(em, workspaceId, contactId, tagKeys)
  let left = 0
  for (const listId of await knownOf(em, workspaceId, removeFromLists))
    left += await removeMembers(em, workspaceId, listId, [contactId])
  if (left > 0) await incrementConsentVersion(em, [contactId])
  return skipped
}

async function listsToJoin(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  listIds: readonly string[],
  skipped: string[],
): Promise<string[]> {
  const joined: string[] = []
  const known = await knownOf(em, workspaceId, listIds)
  if (known.length < listIds.length) skipped.push('A list does not exist any more')
  for (const listId of known) {
    const hasLeft = (await optOutTimes(em, listId, [contactId])).has(contactId)
    if (hasLeft) skipped.push(`The contact unsubscribed from the list ${listId}`)
    else joined.push(listId)
  }
  return joined
}

async function knownOf(em: EntityManager, workspaceId: string, listIds: readonly string[]): Promise<string[]> {
  if (listIds.length === 0) return []
  const known = await findExistingLists(em, workspaceId, [...listIds])
  return listIds.filter((id) => known.has(id))
}
