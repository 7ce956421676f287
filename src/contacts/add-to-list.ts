import {
  CONFIRMATION_LIMIT_REACHED,
  getList,
  CONTACT_LEFT_LIST,
  loadMemberships,
  lockListsToJoin,
  LIST_NOT_FOUND,
  optOutTimes,
} from '../lists/index.ts'
import type { MembershipPlan } from '../lists/index.ts'
import type { Delivery, Dependencies } from '../outbox/index.ts'
import { type Call, whenDurable } from '../platform/call.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { inTransaction, unitOf } from '../platform/db/sql.ts'
import { isId, newId } from '../platform/ids.ts'
import { ApiError } from '../platform/api-error.ts'
import { assertMaxStarts, assertQueueNotFull } from '../triggers/index.ts'
import { CONTACT_LIMITS } from './contact-limits.ts'
import { planJoin } from './join-rules.ts'
import { CONTACT_NOT_FOUND } from './errors.ts'
import { writeMemberships } from './write-memberships.ts'
import { confirmContacts, loadTagKeys, lockContacts } from './write-queries.ts'

export interface JoinResult {
  /** Contacts that were not in the list before. Only they start automations. */
  added: number
  alreadyIn: number
  /** Contacts that must confirm first. */
  pending: number
  errors: { index: number; error: string }[]
}

export type Outcome = MembershipPlan['outcome']

/**
 * Adds contacts to a list. Delivers the automations of a single contact immediately, and leaves those of many contacts to the
 * relay.
 *
 * @throws {ApiError} `not-found` for the list; `invalid` for a single contact that is in too many lists
 */
export async function addToList(
  dependencies: Dependencies,
  workspaceId: string,
  givenListId: string,
  contactIds: readonly string[],
  call: Call,
  { resubscribe = false, confirmed = false }: { resubscribe?: boolean; confirmed?: boolean } = {},
): Promise<JoinResult> {
  const em = unitOf(dependencies.em)
  const { id: listId } = await getList(em, workspaceId, givenListId)
  const isSingle = contactIds.length === 1
  const unique = [...new Set(contactIds.filter(isId).map((id) => id.toLowerCase()))]
  if (isSingle) await assertQueueNotFull(dependencies, workspaceId)
  else await assertMaxStarts(em, workspaceId, unique.length, { signUp: false, lists: [listId], tags: [] })
  const options = { resubscribe, confirmed, isBulk: !isSingle, requestId: call.requestId }
  const { outcomes, deliveries } = await inTransaction(dependencies.em, (unit) =>
    joinList(unit, workspaceId, listId, unique, options),
  )
  if (isSingle && [...outcomes.values()].includes('full')) throw new ApiError(CONTACT_LIMITS.list_members_most)
  await whenDurable(dependencies, call, () => dependencies.deliverAtOnce(dependencies, deliveries))
  const errors = contactIds.flatMap((id, index) => {
    const error = errorOf(outcomes.get(id.toLowerCase()))
    return error === undefined ? [] : [{ index, error }]
  })
  const count = (...of: Outcome[]) => [...outcomes.values()].filter((outcome) => of.includes(outcome)).length
  return { added: count('added'), alreadyIn: count('member'), pending: count('requested', 'pending'), errors }
}

/** The error for a contact that was not added to the list; `undefined` if it was. */
export function errorOf(outcome: Outcome | undefined): string | undefined {
  switch (outcome) {
    case undefined:
      return CONTACT_NOT_FOUND.message
    case 'opted-out':
      return CONTACT_LEFT_LIST.message
    case 'asked-often':
      return CONFIRMATION_LIMIT_REACHED
    case 'full':
      return CONTACT_LIMITS.list_members_most.message
    case 'member':
    case 'added':
    case 'requested':
    case 'pending':
      return undefined
  }
}

/** Adds contacts in a transaction. @returns the outcome for each contact that the workspace has */
export async function joinList(
  em: EntityManager,
  workspaceId: string,
  listId: string,
  contactIds: readonly string[],
  {
    isBulk,
    requestId,
    resubscribe,
    confirmed,
  }: { resubscribe: boolean; confirmed: boolean; isBulk: boolean; requestId: string | null },
): Promise<{ outcomes: Map<string, Outcome>; deliveries: Delivery[] }> {
  const readOptOuts = async () => (resubscribe ? optOutTimes(em, listId, contactIds) : new Map<string, string>())
  // Race: a contact leaves while a request with `resubscribe` waits for their lock. They asked to rejoin before they left, so
  // the opt-out stays. Guard: only an opt-out that was there before the lock is deleted. Test:
  // test/consent/leaving-during-bulk-change.test.ts.
  const optedOutBefore = await readOptOuts()
  const list = (await lockListsToJoin(em, workspaceId, [listId])).get(listId)
  if (!list) throw new ApiError(LIST_NOT_FOUND)
  const contacts = await lockContacts(em, workspaceId, contactIds)
  const optedOut = await readOptOuts()
  const memberships = await loadMemberships(
    em,
    workspaceId,
    contacts.map(({ id, emailKey }) => ({ listId, contactId: id, emailKey })),
  )
  const tags = await loadTagKeys(
    em,
    contacts.filter(({ isUnconfirmed }) => isUnconfirmed).map(({ id }) => id),
  )
  const plans = contacts.map(({ id: contactId, emailKey, isUnconfirmed }, n) => ({
    contactId,
    emailKey,
    ...planJoin(
      { contactId, emailKey, isUnconfirmed, tags: tags.get(contactId) ?? new Set(), membership: memberships[n]! },
      {
        listId,
        doubleOptIn: list.doubleOptIn,
        resubscribe: resubscribe && optedOut.get(contactId) === optedOutBefore.get(contactId),
        confirmed,
        newRequestId: newId(),
      },
    ),
  }))
  await confirmContacts(
    em,
    plans.filter(({ confirms }) => confirms).map(({ contactId }) => contactId),
  )
  const deliveries = await writeMemberships(
    em,
    { workspaceId, requestId, isBulk },
    plans.map(({ contactId, emailKey, membership }) => ({ listId, contactId, emailKey, plan: membership })),
    plans.flatMap(({ happenings }) => happenings),
  )
  return { outcomes: new Map(plans.map(({ contactId, membership }) => [contactId, membership.outcome])), deliveries }
}
