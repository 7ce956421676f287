import { LIST_NOT_FOUND, lockListsToJoin } from '../lists/index.ts'
import type { Delivery } from '../outbox/index.ts'
import { ApiError, type ErrorDefinition } from '../platform/api-error.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { emailKey } from '../platform/email-address.ts'
import { isId, newId } from '../platform/ids.ts'
import { assertMaxStarts } from '../triggers/index.ts'
import { errorOf, joinList, type Outcome } from './add-to-list.ts'
import { CONTACT_NOT_FOUND } from './errors.ts'
import { type UpsertResult, upsertBatch } from './upsert-batch.ts'
import { type ContactInput, toWrite, upsertAll } from './upsert-contacts.ts'
import type { ContactWrite } from './upsert-rules.ts'
import { type ContactNames, lockByNames, type NamedRow } from './write-queries.ts'

export type ContactName = { id: string } | { externalId: string } | { email: string }

/** A contact that a request names, with what it says about the contact. */
export interface NamedContact {
  name: ContactName
  /** The fields to write, if any. */
  fields?: Pick<ContactInput, 'firstName' | 'metadata' | 'tags'> | undefined
  /** Whether a contact named by an email is created if it does not exist. */
  creates: boolean
}

/** A contact that exists now, or why it does not. */
export type WrittenContact = { id: string; isCreated: boolean } | { error: ErrorDefinition }

interface Context {
  workspaceId: string
  requestId: string | null
}

/** The result of adding a contact to a list. */
export interface JoinedList {
  listId: string
  outcome: Outcome
  /** Why the contact was not added. */
  error: string | undefined
}

/**
 * Finds or creates a contact, writes the given fields, and adds it to lists by the rules of POST /lists/{id}/contacts. A contact that
 * left a list with double opt-in must confirm again. A new contact is unconfirmed if it has to confirm all of the lists.
 *
 * @param em a transaction
 * @throws {ApiError} `not-found` for a list; beyond a limit of the contact
 */
export async function writeNamedContact(
  em: EntityManager,
  { workspaceId, requestId }: Context,
  contact: NamedContact,
  listIds: readonly string[],
): Promise<{ contact: WrittenContact; joined: JoinedList[]; deliveries: Delivery[] }> {
  // Before the contact: see docs/lock-order.md. The statements that join a list lock it again, without waiting.
  const lists = await lockListsToJoin(em, workspaceId, listIds.filter(isId))
  const unknown = listIds.findIndex((id) => !lists.has(id))
  if (unknown >= 0) throw new ApiError(LIST_NOT_FOUND, { param: `/lists/${unknown}` })
  const { found, writes } = await planWrites(em, workspaceId, [contact])
  const [write] = writes.values()
  let target = found[0]!
  const joined: JoinedList[] = []
  const deliveries: Delivery[] = []
  if (write) {
    // A new contact joins the first list as it is created, because that decides whether it is confirmed.
    const [firstList] = listIds
    const withList = 'error' in target && firstList !== undefined ? { ...write, listId: firstList } : write
    const options = { isBulk: false, triggers: true, requestId }
    const result = await upsertBatch(em, workspaceId, [withList], options)
    target = resultFor(write, result)
    deliveries.push(...result.deliveries)
    const membership = result.written[0]?.membership
    if (membership) joined.push(toJoined(firstList!, membership.outcome))
  }
  if ('error' in target) return { contact: target, joined, deliveries }
  for (const listId of listIds.slice(joined.length)) {
    const options = { resubscribe: lists.get(listId)!.doubleOptIn, confirmed: false, isBulk: false, requestId }
    const { outcomes, deliveries: starts } = await joinList(em, workspaceId, listId, [target.id], options)
    deliveries.push(...starts)
    // The contact was erased concurrently.
    if (!outcomes.has(target.id)) return { contact: { error: CONTACT_NOT_FOUND }, joined, deliveries }
    joined.push(toJoined(listId, outcomes.get(target.id)!))
  }
  return { contact: target, joined, deliveries }
}

const toJoined = (listId: string, outcome: Outcome): JoinedList => ({ listId, outcome, error: errorOf(outcome) })

/**
 * Finds or creates many contacts, and writes the given fields. If a contact is named several times, the fields are merged, and later
 * ones win. A contact that cannot be written does not affect the others. The relay delivers what the changes start.
 *
 * @param em a transaction
 * @returns the contacts in their order
 */
export async function writeNamedContacts(
  em: EntityManager,
  { workspaceId, requestId }: Context,
  contacts: readonly NamedContact[],
): Promise<WrittenContact[]> {
  const { found, writes, writeOf } = await planWrites(em, workspaceId, contacts)
  if (writes.size === 0) return found
  const all = [...writes.values()]
  const tags = [...new Set(all.flatMap((write) => write.tags.map(({ key }) => key)))]
  await assertMaxStarts(em, workspaceId, all.length, { signUp: true, lists: [], tags })
  const result = await upsertAll(em, workspaceId, all, { triggers: true, requestId, ofFile: false })
  return found.map((contact, n) => {
    const write = writeOf(contacts[n]!)
    return write ? resultFor(write, result) : contact
  })
}

function resultFor(
  { emailKey: key }: ContactWrite,
  { written, failed }: Pick<UpsertResult, 'written' | 'failed'>,
): WrittenContact {
  const found = written.find((each) => each.emailKey === key)
  return found ? { id: found.id, isCreated: found.isCreated } : { error: failed.get(key) ?? CONTACT_NOT_FOUND }
}

/**
 * Finds the named contacts, and plans which of them to write.
 *
 * Race: another request changes the address of a contact, or erases it, before the contact is written by its address or the event is
 * stored. Guard: all of them are locked here, before contacts are created, which locks counters: see docs/lock-order.md. Test:
 * test/events/events.test.ts.
 */
async function planWrites(em: EntityManager, workspaceId: string, contacts: readonly NamedContact[]) {
  // One mode and one statement for all of them, so that two calls with the same contacts take turns. Their events lock them again,
  // exclusively.
  const rows = await lockByNames(em, workspaceId, namesOf(contacts))
  const find = finder(rows)
  const writes = new Map<string, ContactWrite>()
  const keys = new Map<NamedContact, string>()
  const found = contacts.map((contact): WrittenContact => {
    const row = find(contact.name)
    const isMissing = row === undefined
    const canCreate = 'email' in contact.name && contact.creates
    if ((isMissing && !canCreate) || (!isMissing && !hasFields(contact)))
      return isMissing ? { error: CONTACT_NOT_FOUND } : { id: row.id, isCreated: false }
    const email = row?.email ?? ('email' in contact.name ? contact.name.email : '')
    const write = toWrite({ email, ...contact.fields }, newId())
    const earlier = writes.get(write.emailKey)
    writes.set(write.emailKey, earlier ? mergeWrites(earlier, write) : write)
    keys.set(contact, write.emailKey)
    return isMissing ? { error: CONTACT_NOT_FOUND } : { id: row.id, isCreated: false }
  })
  const writeOf = (contact: NamedContact): ContactWrite | undefined => writes.get(keys.get(contact) ?? '')
  return { found, writes, writeOf }
}

const hasFields = ({ fields }: NamedContact): boolean =>
  Object.values(fields ?? {}).some((value: unknown) => value !== undefined)

/** Merges what two items say about one contact. The later one wins. */
const mergeWrites = (earlier: ContactWrite, later: ContactWrite): ContactWrite => ({
  ...earlier,
  firstName: later.firstName === undefined ? earlier.firstName : later.firstName,
  metadata: {
    ...Object.fromEntries(Object.entries(earlier.metadata).filter(([key]) => !later.removedKeys.includes(key))),
    ...later.metadata,
  },
  removedKeys: [
    ...earlier.removedKeys.filter((key) => !Object.hasOwn(later.metadata, key) && !later.removedKeys.includes(key)),
    ...later.removedKeys,
  ],
  tags: [...new Map([...earlier.tags, ...later.tags].map((tag) => [tag.key, tag])).values()],
})

const namesOf = (contacts: readonly NamedContact[]): ContactNames => ({
  ids: contacts.flatMap(({ name }) => ('id' in name && isId(name.id) ? [name.id] : [])),
  externalIds: contacts.flatMap(({ name }) => ('externalId' in name ? [name.externalId] : [])),
  emailKeys: contacts.flatMap(({ name }) => ('email' in name ? [emailKey(name.email)] : [])),
})

/** @returns a function that finds the row of a name */
function finder(rows: readonly NamedRow[]): (name: ContactName) => NamedRow | undefined {
  const by = (of: (row: NamedRow) => string | null) => new Map(rows.map((row) => [of(row), row]))
  const [ids, externalIds, emails] = [by(({ id }) => id), by((row) => row.externalId), by((row) => row.emailKey)]
  return (name) => {
    if ('id' in name) return ids.get(name.id)
    return 'externalId' in name ? externalIds.get(name.externalId) : emails.get(emailKey(name.email))
  }
}
