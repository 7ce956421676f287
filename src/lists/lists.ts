import { ASKED_OFTEN, HAS_LEFT_LIST, LIST_IN_USE, NOBODY_ASKS, NOT_IN_LIST } from './refusals.ts'
import { List as ListRow } from './entities.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Range } from '../platform/db/range.ts'
import { violatedConstraint } from '../platform/db/errors.ts'
import { unitOf } from '../platform/db/sql.ts'
import { CONTACT_LIMITS, CONTACT_NOT_FOUND, isContactLimit, LIST_NOT_FOUND, Tally } from '../contacts/index.ts'
import {
  emptyList,
  findList,
  fullMembers,
  isAskedFor,
  isListenedTo,
  type Joined,
  joinList,
  leaveList,
  listPage,
  lockList,
  waitForJoiners,
  sayGoing,
  type List,
} from './queries.ts'
import { Refusal } from '../platform/refusal.ts'
import { isId } from '../platform/ids.ts'
import { assertBearable, assertNotCrowded } from '../triggers/index.ts'
import { whenDurable, type Call } from '../platform/call.ts'
import type { Dependencies } from '../outbox/index.ts'

/** A page of a workspace's lists, newest first, and how many there are. */
export async function listLists(em: EntityManager, workspaceId: string, range: Range): Promise<[List[], number]> {
  return Promise.all([listPage(em.fork(), workspaceId, range), em.fork().count(ListRow, { workspaceId })])
}

/** @throws {Refusal} `not-found` */
export async function getList(em: EntityManager, workspaceId: string, id: string): Promise<List> {
  const list = isId(id) ? await findList(unitOf(em), workspaceId, id) : undefined
  if (!list) throw new Refusal(LIST_NOT_FOUND)
  return list
}

/** What there is to say of a list. */
export interface ListInput {
  name: string
  description?: string | null | undefined
  /** Whether recipients see it where they choose what they get. */
  public?: boolean | undefined
  /** Whether nobody joins it from now on who has not confirmed that she wants to. */
  doubleOptIn?: boolean | undefined
}

/** Creates a list. @throws {Refusal} `nobody_asks_to_confirm`: what asks comes behind it */
export async function createList(
  em: EntityManager,
  workspaceId: string,
  { name, description, public: isPublic, doubleOptIn }: ListInput,
  id: string,
): Promise<List> {
  if (doubleOptIn === true) throw new Refusal(NOBODY_ASKS)
  const unit = unitOf(em)
  unit.create(ListRow, { id, workspaceId, name, description: description ?? null, public: isPublic ?? false })
  await unit.flush()
  return getList(unit, workspaceId, id)
}

/** What is changed of a list. */
export type ListChange = { [Field in keyof ListInput]?: ListInput[Field] | undefined }

/**
 * Changes what is said of a list; what is absent stays as it is.
 * @throws {Refusal} `not-found`; `nobody_asks_to_confirm` where it is to be joined by confirming, and no automation asks for that
 */
export async function updateList(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { name, description, public: isPublic, doubleOptIn }: ListChange,
): Promise<List> {
  const unit = unitOf(em)
  // Whoever joins it at this moment is in it before, or asked.
  if (doubleOptIn !== undefined && isId(id)) {
    await waitForJoiners(unit, id)
    // Whoever turns off what asks for it does so before, or behind this.
    await lockList(unit, workspaceId, id)
  }
  const list = isId(id) ? await unit.findOne(ListRow, { id, workspaceId }) : null
  if (!list) throw new Refusal(LIST_NOT_FOUND)
  if (name !== undefined) list.name = name
  if (description !== undefined) list.description = description
  if (isPublic !== undefined) list.public = isPublic
  if (doubleOptIn === true && !list.doubleOptIn && !(await isAskedFor(unit, workspaceId, list.id))) {
    throw new Refusal(NOBODY_ASKS)
  }
  if (doubleOptIn !== undefined) list.doubleOptIn = doubleOptIn
  await unit.flush()
  return getList(unit, workspaceId, id)
}

/** How many leave a list in one transaction: others wait for its tally no longer than that takes. */
const LEAVING_AT_ONCE = 5_000

/**
 * Deletes a list for good; the contacts that were in it stay, and enrollments that their joining started go on. It is emptied
 * page by page: where that breaks off, the list is still there, and deleting it again goes on.
 *
 * @throws {Refusal} `not-found`; `taken` while an ACTIVE automation listens for it.
 */
export async function deleteList(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { audit }: Pick<Call, 'audit'>,
): Promise<void> {
  // Told of first: where it breaks off, some have left. From then on nothing new counts on it: what did would find half of it.
  await em.fork().transactional(async (unit) => {
    await getList(unit, workspaceId, id)
    await lockList(unit, workspaceId, id)
    if (await isListenedTo(unit, workspaceId, id)) throw new Refusal(LIST_IN_USE)
    await sayGoing(unit, id, true)
    await audit(unit)
  })
  try {
    await deleteGoing(em, workspaceId, id)
  } catch (error) {
    if (error instanceof Refusal) await sayGoing(em.fork(), id, false)
    throw error
  }
}

async function deleteGoing(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  const leave = () =>
    em.fork().transactional(async (unit) => {
      // An automation that is to listen for it waits for this page; and where one does, no further page is emptied.
      if (!(await lockList(unit, workspaceId, id))) throw new Refusal(LIST_NOT_FOUND)
      if (await isListenedTo(unit, workspaceId, id)) throw new Refusal(LIST_IN_USE)
      return emptyList(unit, id, LEAVING_AT_ONCE)
    })
  while ((await leave()) === LEAVING_AT_ONCE);
  await em.fork().transactional(async (unit) => {
    if ((await unit.nativeDelete(ListRow, { id, workspaceId })) === 0) throw new Refusal(LIST_NOT_FOUND)
    // Behind the lock on its row, for which an automation waits that is to listen for it.
    if (await isListenedTo(unit, workspaceId, id)) throw new Refusal(LIST_IN_USE)
    await unit.nativeDelete(Tally, { subject: id })
  })
}

export interface JoinResult {
  /** How many were not in the list before; only these start automations. */
  added: number
  alreadyIn: number
  /** How many are asked whether they want to be in it. */
  pending: number
  errors: { index: number; error: string }[]
}

/**
 * Puts contacts into a list. One contact's automations are started at once, those of many by the relay.
 * @throws {Refusal} `not-found` for the list.
 */
export async function addToList(
  dependencies: Dependencies,
  workspaceId: string,
  listId: string,
  contactIds: readonly string[],
  call: Call,
  { resubscribe = false, confirmed = false }: { resubscribe?: boolean; confirmed?: boolean } = {},
): Promise<JoinResult> {
  const em = unitOf(dependencies.em)
  await getList(em, workspaceId, listId)
  const single = contactIds.length === 1
  if (single) await assertNotCrowded(dependencies, workspaceId)
  const unique = [...new Set(contactIds.filter(isId).map((id) => id.toLowerCase()))]
  if (!single) {
    const happenings = { signUp: false, lists: [listId.toLowerCase()], tags: [] }
    await assertBearable(em, workspaceId, unique.length, happenings)
  }
  const options = { bulk: !single, requestId: call.requestId, resubscribe, confirmed }
  const join = (ids: readonly string[]) => em.transactional((unit) => joinList(unit, workspaceId, listId, ids, options))
  let full: ReadonlySet<string> = new Set()
  const joined = await join(unique).catch(async (error: unknown) => {
    if (single || !isContactLimit(violatedConstraint(error))) throw error
    // Those fail alone, like those who do not exist.
    full = await fullMembers(em, workspaceId, listId, unique)
    return join(unique.filter((id) => !full.has(id)))
  })
  if (single) {
    const deliveries = joined.flatMap((member) => member.deliveries)
    await whenDurable(dependencies, call, () => dependencies.deliverAtOnce(dependencies, deliveries))
  }
  const reasons = new Map(joined.map((member) => [member.contactId, reasonOf(member)]))
  const errors = contactIds.flatMap((id, index) => {
    const of = id.toLowerCase()
    const error = reasons.has(of)
      ? reasons.get(of)
      : full.has(of)
        ? CONTACT_LIMITS.list_members_most.message
        : CONTACT_NOT_FOUND.message
    return error === undefined ? [] : [{ index, error }]
  })
  const count = (is: (member: Joined) => boolean) => joined.filter(is).length
  const [added, pending] = [count((member) => member.added), count((member) => member.pending)]
  const alreadyIn = count((member) => reasonOf(member) === undefined) - added - pending
  return { added, alreadyIn, pending, errors }
}

/** Why a contact is not put into a list. */
const reasonOf = ({ optedOut, leftAlone }: Joined): string | undefined =>
  optedOut ? HAS_LEFT_LIST.message : leftAlone ? ASKED_OFTEN : undefined

/** Takes a contact out of a list. Enrollments that its joining started go on. @throws {Refusal} `not-found` */
export async function removeFromList(
  em: EntityManager,
  workspaceId: string,
  listId: string,
  contactId: string,
): Promise<void> {
  await getList(em, workspaceId, listId)
  if (!isId(contactId) || !(await leaveList(unitOf(em), workspaceId, listId, contactId))) {
    throw new Refusal(NOT_IN_LIST)
  }
}
