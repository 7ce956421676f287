import { violatedConstraint } from '../platform/db/errors.ts'
import type { Dependencies } from '../outbox/index.ts'
import { type Call, whenDurable } from '../platform/call.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { inTransaction, unitOf } from '../platform/db/sql.ts'
import { emailKey } from '../platform/email-address.ts'
import { isId, newId } from '../platform/ids.ts'
import { ApiError } from '../platform/api-error.ts'
import { assertMaxStarts, assertQueueNotFull } from '../triggers/index.ts'
import { METADATA_TOO_LARGE, splitMetadata } from './metadata.ts'
import { type ContactProfile, findContact } from './queries.ts'
import { CONTACT_NOT_FOUND, EXTERNAL_ID_TAKEN } from './errors.ts'
import { findExistingLists, LIST_NOT_FOUND } from '../lists/index.ts'
import { uniqueTags } from './tag.ts'
import { rowOf, upsertBatch, type UpsertResult } from './upsert-batch.ts'
import type { ContactWrite } from './upsert-rules.ts'
import { oversizedContacts } from './write-queries.ts'

/** The input of a request. Absent fields stay unchanged. A `null` in metadata removes the key. */
export interface ContactInput {
  email: string
  externalId?: string | undefined
  firstName?: string | null | undefined
  metadata?: Record<string, unknown> | undefined
  /** A list to join. */
  listId?: string | undefined
  /** Whether the contact confirmed elsewhere that they want to join. */
  confirmed?: boolean | undefined
  /** Tags to add. */
  tags?: readonly string[] | undefined
}

/**
 * Creates a contact, or updates the one with this email. Triggers (the sign-up, the list, tags) are
 * delivered immediately, or in the bulk lane of the relay.
 *
 * @throws {ApiError} `not-found` if the list is not in the workspace; `taken` for the externalId; `invalid` beyond a limit
 */
export async function upsertContact(
  dependencies: Dependencies,
  workspaceId: string,
  input: ContactInput,
  call: Call,
  { isBulk = false }: { isBulk?: boolean } = {},
): Promise<ContactProfile & { created: boolean }> {
  await assertQueueNotFull(dependencies, workspaceId)
  const write = toWrite(input, call.id)
  const options = { isBulk, triggers: true, requestId: call.requestId }
  const { written, failed, deliveries } = await inTransaction(dependencies.em, (unit) =>
    upsertBatch(unit, workspaceId, [write], options),
  )
  const reason = failed.get(write.emailKey)
  if (reason) {
    const param = reason === LIST_NOT_FOUND ? '/listId' : reason === EXTERNAL_ID_TAKEN ? '/externalId' : undefined
    throw new ApiError(reason, param === undefined ? {} : { param })
  }
  const [{ id, isCreated }] = written as [UpsertResult['written'][number]]
  await whenDurable(dependencies, call, () => dependencies.deliverAtOnce(dependencies, deliveries))
  const contact = await findContact(unitOf(dependencies.em), workspaceId, id)
  // The contact was erased concurrently.
  if (!contact) throw new ApiError(CONTACT_NOT_FOUND)
  return { ...contact, created: isCreated }
}

export interface BulkResult {
  created: number
  updated: number
  errors: { index: number; error: string }[]
}

/**
 * Creates or updates many contacts in one transaction. If an email occurs twice, the later item wins. The relay delivers the
 * automations that they start.
 *
 * @param given.inputs each with the index for its error; a `quiet` one never starts anything
 * @param given.triggers whether the changes start automations
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
  const unit = unitOf(em)
  const given = [...new Set(inputs.flatMap(({ input }) => input.listId?.toLowerCase() ?? []))].filter(isId)
  const lists = given.length > 0 ? await findExistingLists(unit, workspaceId, given) : new Set()
  const byKey = new Map<string, { index: number; write: ContactWrite }>()
  const errors: BulkResult['errors'] = []
  for (const { index, input, quiet } of inputs) {
    const write = toWrite(input, newId())
    // Before duplicates are removed: an invalid item must not displace a valid one.
    if (write.listId !== null && !lists.has(write.listId)) errors.push({ index, error: LIST_NOT_FOUND.message })
    else byKey.set(write.emailKey, { index, write: { ...write, ...(quiet && { quiet }) } })
  }
  const writes = [...byKey.values()].map(({ write }) => write)
  if (triggers) {
    await assertMaxStarts(unit, workspaceId, writes.length, {
      signUp: true,
      lists: [...new Set(writes.flatMap(({ listId }) => listId ?? []))],
      tags: [...new Set(writes.flatMap(({ tags }) => tags.map(({ key }) => key)))],
    })
  }
  const { written, failed } = await upsertAll(unit, workspaceId, writes, {
    triggers,
    requestId: call.requestId,
    ofFile,
  })
  const created = written.filter(({ isCreated }) => isCreated).length
  for (const [key, reason] of failed) errors.push({ index: byKey.get(key)!.index, error: reason.message })
  return { created, updated: written.length - created, errors }
}

/** The maximum number of attempts to write a batch. Another request may take an external ID concurrently. */
const MAX_ATTEMPTS = 4

/** Writes a batch. In the next attempt, a contact that violates a constraint fails alone. */
export async function upsertAll(
  em: EntityManager,
  workspaceId: string,
  writes: readonly ContactWrite[],
  options: { triggers: boolean; requestId: string | null; ofFile: boolean },
): Promise<Pick<UpsertResult, 'written' | 'failed'>> {
  const oversized = new Set<string>()
  for (let attempt = 1; ; attempt += 1) {
    const left = writes.filter(({ emailKey: key }) => !oversized.has(key))
    try {
      const result = await em.transactional((unit) =>
        upsertBatch(unit, workspaceId, left, { ...options, isBulk: true }),
      )
      for (const key of oversized) result.failed.set(key, METADATA_TOO_LARGE)
      return result
    } catch (error) {
      const constraint = violatedConstraint(error)
      if (attempt === MAX_ATTEMPTS || constraint === undefined) throw error
      if (constraint !== 'contacts_metadata_size' && constraint !== 'contacts_external_id_unique') throw error
      const rows = left.map((write) => rowOf(write))
      if (constraint === 'contacts_metadata_size')
        for (const key of await oversizedContacts(em, workspaceId, rows)) oversized.add(key)
    }
  }
}

export function toWrite(
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
    listId: listId?.toLowerCase() ?? null,
    ...(confirmed && { confirmed }),
    tags: uniqueTags(tags),
  }
}
