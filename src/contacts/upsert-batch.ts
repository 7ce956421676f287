import { LIST_NOT_FOUND, loadMemberships, lockListsToJoin, type MembershipPlan } from '../lists/index.ts'
import type { Delivery } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { isId, newId } from '../platform/ids.ts'
import { type CauseOfHappenings, recordMutedOccurrences } from '../triggers/index.ts'
import type { ErrorDefinition } from '../platform/api-error.ts'
import { CONTACT_LIMITS } from './contact-limits.ts'
import { EXTERNAL_ID_TAKEN } from './errors.ts'
import { suppressedKeys } from './suppression-queries.ts'
import { type ContactWrite, planUpsert, type UpsertPlan } from './upsert-rules.ts'
import { type PlannedMembership, writeMemberships } from './write-memberships.ts'
import {
  type ContactRow,
  insertContacts,
  insertTags,
  loadTagKeys,
  lockContactsByKey,
  type LockedContact,
  updateContacts,
  findTakenExternalIds,
} from './write-queries.ts'

export interface UpsertOptions {
  /** Whether this is a bulk operation, whose deliveries are left to the bulk lane of the relay. */
  isBulk: boolean
  /** Whether the changes start automations. */
  triggers: boolean
  requestId: string | null
  /** The number of automations that caused each other and this change. */
  depth?: number
  /** Whether this is an import, which is not a request of the contact. */
  ofFile?: boolean
}

export interface UpsertResult {
  written: { id: string; emailKey: string; isCreated: boolean; membership: MembershipPlan | null }[]
  /** The errors of the other contacts, by normalized address. */
  failed: Map<string, ErrorDefinition>
  /** The deliveries for the caller; empty for a bulk operation. */
  deliveries: Delivery[]
}

/** A contact that is locked, or is to be created. */
type Target = LockedContact & { isCreated: boolean }

/**
 * Creates or updates contacts in a constant number of statements: locks lists and contacts, reads their state,
 * decides by `planUpsert`, and writes. A contact that cannot be written does not affect the others.
 *
 * @param em a transaction
 * @param writes distinct by address
 */
export async function upsertBatch(
  em: EntityManager,
  workspaceId: string,
  writes: readonly ContactWrite[],
  { isBulk, triggers, requestId, depth, ofFile = false }: UpsertOptions,
): Promise<UpsertResult> {
  const failed = new Map<string, ErrorDefinition>()
  const listIds = [...new Set(writes.flatMap(({ listId }) => listId ?? []))].filter(isId)
  const lists = await lockListsToJoin(em, workspaceId, listIds)
  for (const { emailKey, listId } of writes)
    if (listId !== null && !lists.has(listId)) failed.set(emailKey, LIST_NOT_FOUND)
  const known = writes.filter(({ emailKey }) => !failed.has(emailKey))
  for (const emailKey of await findTakenExternalIds(em, workspaceId, known)) failed.set(emailKey, EXTERNAL_ID_TAKEN)
  const valid = writes.filter(({ emailKey }) => !failed.has(emailKey))

  const isDoubleOptIn = ({ listId }: ContactWrite) => listId !== null && lists.get(listId)!.doubleOptIn
  const created = new Set<string>()
  for (;;) {
    const contacts = await lockExisting(em, workspaceId, valid, created)
    const stateOf = await loadStates(em, workspaceId, valid, contacts, ofFile)
    const plans: Planned[] = []
    for (const write of valid) {
      const contact = contacts.get(write.emailKey)!
      const context = { doubleOptIn: isDoubleOptIn(write), ofFile, triggers, newRequestId: newId() }
      const plan = planUpsert({ ...contact, ...stateOf(write) }, write, context)
      if ('exceeds' in plan) failed.set(write.emailKey, CONTACT_LIMITS[plan.exceeds])
      else plans.push({ write, contact, plan })
    }
    // As late as possible, because it locks the counters of the contacts' blocks until the commit, and every request that creates
    // contacts waits for them.
    const missing = plans.filter(({ contact }) => contact.isCreated && !created.has(contact.id))
    const inserted = await insertContacts(
      em,
      workspaceId,
      missing.map(({ write, plan }) => rowOf(write, plan.isUnconfirmed)),
    )
    for (const id of inserted) created.add(id)
    // Another request created some of them in the meantime: the next round locks them and decides again.
    if (inserted.size < missing.length) continue
    const deliveries = await writePlans(em, { workspaceId, requestId, isBulk, depth }, plans)
    return {
      written: plans.map(({ contact, plan }) => ({
        id: contact.id,
        emailKey: contact.emailKey,
        isCreated: contact.isCreated,
        membership: plan.membership,
      })),
      failed,
      deliveries,
    }
  }
}

interface Planned {
  write: ContactWrite
  contact: Target
  plan: UpsertPlan
}

async function writePlans(
  em: EntityManager,
  context: CauseOfHappenings,
  plans: readonly Planned[],
): Promise<Delivery[]> {
  await updateContacts(
    em,
    plans
      .filter(({ contact }) => !contact.isCreated)
      .map(({ write, contact, plan }) => ({
        ...rowOf(write, plan.isUnconfirmed),
        id: contact.id,
        consent_version: plan.bumpsConsents ? 1 : 0,
      })),
  )
  await insertTags(
    em,
    context.workspaceId,
    plans.flatMap(({ contact, plan }) => plan.newTags.map((tag) => ({ contactId: contact.id, ...tag }))),
  )
  const memberships = plans.flatMap(({ write: { listId, emailKey }, contact, plan }): PlannedMembership[] =>
    plan.membership === null || listId === null
      ? []
      : [{ listId, contactId: contact.id, emailKey, plan: plan.membership }],
  )
  const deliveries = await writeMemberships(
    em,
    context,
    memberships,
    plans.flatMap(({ plan }) => plan.happenings),
  )
  await recordMutedOccurrences(
    em,
    context.workspaceId,
    plans.flatMap(({ plan }) => plan.muted),
  )
  return deliveries
}

/** Locks the contacts that exist. The others are to be created. */
async function lockExisting(
  em: EntityManager,
  workspaceId: string,
  writes: readonly ContactWrite[],
  created: ReadonlySet<string>,
): Promise<Map<string, Target>> {
  const keys = writes.map(({ emailKey }) => emailKey)
  const locked = await lockContactsByKey(em, workspaceId, keys)
  const existing = new Map(
    locked.map((contact): [string, Target] => [contact.emailKey, { ...contact, isCreated: created.has(contact.id) }]),
  )
  return new Map(
    writes.map(({ id, email, emailKey }) => [
      emailKey,
      existing.get(emailKey) ?? { id, email, emailKey, isUnconfirmed: false, isCreated: true },
    ]),
  )
}

/** Reads the state that the rules need. The contacts are locked, so it does not change before the commit. */
async function loadStates(
  em: EntityManager,
  workspaceId: string,
  writes: readonly ContactWrite[],
  contacts: ReadonlyMap<string, Target>,
  ofFile: boolean,
) {
  const contactOf = ({ emailKey }: ContactWrite) => contacts.get(emailKey)!
  const needsTags = (write: ContactWrite) => {
    const { isCreated, isUnconfirmed } = contactOf(write)
    return !isCreated && (write.tags.length > 0 || isUnconfirmed)
  }
  const tags = await loadTagKeys(
    em,
    writes.filter(needsTags).map((write) => contactOf(write).id),
  )
  const keys = writes.map(({ emailKey }) => emailKey)
  const suppressed = ofFile ? await suppressedKeys(em, workspaceId, keys) : new Set<string>()
  const joining = writes.filter(({ listId }) => listId !== null)
  const states = await loadMemberships(
    em,
    workspaceId,
    joining.map((write) => ({ listId: write.listId!, contactId: contactOf(write).id, emailKey: write.emailKey })),
  )
  const memberships = new Map(joining.map(({ emailKey }, n) => [emailKey, states[n]!]))
  return (write: ContactWrite) => ({
    tags: tags.get(contactOf(write).id) ?? new Set<string>(),
    isSuppressed: suppressed.has(write.emailKey),
    membership: memberships.get(write.emailKey) ?? null,
  })
}

/** Converts a contact to the parameters of the statements. */
export const rowOf = (write: ContactWrite, unconfirmed = false): ContactRow => ({
  id: write.id,
  email: write.email,
  email_key: write.emailKey,
  external_id: write.externalId,
  first_name: write.firstName ?? null,
  keeps_first_name: write.firstName === undefined,
  metadata: write.metadata,
  removed: write.removedKeys,
  unconfirmed,
  consent_version: 0,
})
