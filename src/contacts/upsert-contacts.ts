import { type Reason, Refusal } from '../platform/refusal.ts'
import { CONTACT_NOT_FOUND, EXTERNAL_ID_TAKEN, LIST_NOT_FOUND } from './refusals.ts'
import { violatedConstraint } from '../platform/db/errors.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { findContact, knownLists, type ContactProfile } from './queries.ts'
import {
  beyondLimits,
  takenExternalIds,
  upsertAndCountContacts,
  upsertContacts,
  type ContactWrite,
} from './upsert-queries.ts'
import { CONTACT_LIMITS, isContactLimit } from './contact-limits.ts'
import { emailKey } from '../platform/email-address.ts'
import { isId, newId } from '../platform/ids.ts'
import { splitMetadata } from './metadata.ts'
import { uniqueTags } from './tag.ts'
import { assertBearable, assertNotCrowded } from '../triggers/index.ts'
import { whenDurable, type Call } from '../platform/call.ts'
import type { Dependencies } from '../outbox/index.ts'

/** What a caller gives of a contact. Absent fields stay as they are; a `null` in metadata removes that key. */
export interface ContactInput {
  email: string
  /** What its caller knows it by. */
  externalId?: string | undefined
  firstName?: string | null | undefined
  metadata?: Record<string, unknown> | undefined
  /** A list to join. */
  listId?: string | undefined
  /** Whether she has confirmed elsewhere that she wants to be in it. */
  confirmed?: boolean | undefined
  /** Tags to get, besides those it has. */
  tags?: readonly string[] | undefined
}

/**
 * Creates a contact, or updates the one with this email. What automations wait for (the sign-up, the list, a tag) is
 * delivered at once.
 *
 * @throws {Refusal} `not-found` where the list is not in the workspace.
 */
export async function upsertContact(
  dependencies: Dependencies,
  workspaceId: string,
  input: ContactInput,
  call: Call,
): Promise<ContactProfile & { created: boolean }> {
  await assertNotCrowded(dependencies, workspaceId)
  const em = unitOf(dependencies.em)
  const { listId } = input
  if (listId !== undefined && !(await listsAmong(em, workspaceId, [listId])).has(listId))
    throw new Refusal(LIST_NOT_FOUND, { param: '/listId' })
  const [written] = await upsertContacts(em, workspaceId, [toWrite(input, call.id)], {
    bulk: false,
    triggers: true,
    requestId: call.requestId,
  })
  if (!written) throw new Error('The upsert returned no row')
  await whenDurable(dependencies, call, () => dependencies.deliverAtOnce(dependencies, written.deliveries))
  const contact = await findContact(em, workspaceId, written.id)
  // Erased in this very moment.
  if (!contact) throw new Refusal(CONTACT_NOT_FOUND)
  return { ...contact, created: written.created }
}

export interface BulkResult {
  created: number
  updated: number
  errors: { index: number; error: string }[]
}

/**
 * Creates or updates many contacts, in one statement. Of the same email twice, the later one wins.
 * What their writing starts is written with them, and delivered by the relay.
 *
 * @param given.inputs each with the index that its error, if any, is told with; a quiet one starts nothing in any case.
 * @param given.triggers whether what happens to them starts anything.
 */
export async function upsertManyContacts(
  { em }: Pick<Dependencies, 'em'>,
  workspaceId: string,
  {
    inputs,
    triggers,
    ofFile = false,
  }: {
    inputs: readonly { index: number; input: ContactInput; quiet?: boolean }[]
    triggers: boolean
    ofFile?: boolean
  },
  call: Call,
): Promise<BulkResult> {
  const fork = unitOf(em)
  const known = await listsAmong(
    fork,
    workspaceId,
    inputs.flatMap(({ input }) => input.listId ?? []),
  )
  const errors: BulkResult['errors'] = []
  const byKey = new Map<string, { index: number; write: ContactWrite }>()
  for (const { index, input, quiet } of inputs) {
    if (input.listId !== undefined && !known.has(input.listId)) errors.push({ index, error: LIST_NOT_FOUND.message })
    else byKey.set(emailKey(input.email), { index, write: { ...toWrite(input, newId()), ...(quiet && { quiet }) } })
  }
  const all = [...byKey.values()].map(({ write }) => write)
  if (triggers) {
    await assertBearable(fork, workspaceId, all.length, {
      signUp: true,
      lists: [...new Set(all.flatMap(({ listId }) => listId?.toLowerCase() ?? []))],
      tags: [...new Set(all.flatMap(({ tags }) => tags.map(({ key }) => key)))],
    })
  }
  const options = { bulk: true, triggers, requestId: call.requestId, ofFile }
  for (let attempt = 1; ; attempt += 1) {
    const writes = [...byKey.values()].map(({ write }) => write)
    try {
      return {
        ...(await fork.transactional((unit) => upsertAndCountContacts(unit, workspaceId, writes, options))),
        errors,
      }
    } catch (error) {
      // Only together with what is stored already can they not be written: those fail alone, like every other invalid item.
      const failing =
        attempt > MOST_ATTEMPTS ? [] : await whoFails(fork, workspaceId, writes, violatedConstraint(error))
      // Who was in the way may have gone since.
      if (failing.length === 0 && (attempt > MOST_ATTEMPTS || violatedConstraint(error) === undefined)) throw error
      for (const { emailKey, reason } of failing) {
        errors.push({ index: byKey.get(emailKey)!.index, error: reason.message })
        byKey.delete(emailKey)
      }
    }
  }
}

/** Each for another reason than the one before, or because of what was written meanwhile. */
const MOST_ATTEMPTS = 6

/** Which of these contacts can't be written, where a constraint has said that not all can. */
async function whoFails(
  em: EntityManager,
  workspaceId: string,
  writes: readonly ContactWrite[],
  constraint: string | undefined,
): Promise<{ emailKey: string; reason: Reason }[]> {
  if (constraint === 'contacts_external_id_unique') {
    const taken = await takenExternalIds(em, workspaceId, writes)
    // Of two new ones with the same, the first has it.
    const failing = taken.length > 0 ? taken : repeatedExternalIds(writes)
    return failing.map((emailKey) => ({ emailKey, reason: EXTERNAL_ID_TAKEN }))
  }
  if (constraint === 'list_members_list_id_fkey') {
    const known = await listsAmong(
      em,
      workspaceId,
      writes.flatMap(({ listId }) => listId ?? []),
    )
    const without = writes.filter(({ listId }) => listId !== null && !known.has(listId))
    return without.map(({ emailKey }) => ({ emailKey, reason: LIST_NOT_FOUND }))
  }
  if (!isContactLimit(constraint)) return []
  const beyond = await beyondLimits(em, workspaceId, writes)
  return beyond.map(({ emailKey, limit }) => ({ emailKey, reason: CONTACT_LIMITS[limit] }))
}

/** The keys of those whose externalId one before them has. */
function repeatedExternalIds(writes: readonly ContactWrite[]): string[] {
  const known = new Set<string>()
  return writes.flatMap(({ emailKey, externalId }) => {
    if (externalId === null) return []
    if (known.has(externalId)) return [emailKey]
    known.add(externalId)
    return []
  })
}

/** Which of the texts that callers gave are ids of the workspace's lists; an id means the same in capitals. */
async function listsAmong(em: EntityManager, workspaceId: string, given: readonly string[]): Promise<Set<string>> {
  const candidates = [...new Set(given)].filter(isId)
  if (candidates.length === 0) return new Set()
  const known = await knownLists(em, workspaceId, candidates)
  return new Set(candidates.filter((id) => known.has(id.toLowerCase())))
}

function toWrite(
  { email, externalId, firstName, metadata = {}, listId, confirmed, tags = [] }: ContactInput,
  id: string,
): ContactWrite {
  const { set, removedKeys } = splitMetadata(metadata)
  return {
    id,
    email,
    emailKey: emailKey(email),
    externalId: externalId ?? null,
    firstName,
    metadata: set,
    removedKeys,
    listId: listId ?? null,
    ...(confirmed && { confirmed }),
    tags: uniqueTags(tags),
  }
}
