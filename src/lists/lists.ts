import { LIST_NOT_FOUND, CONFIRMATION_AUTOMATION_MISSING } from './errors.ts'
import { List as ListRow } from './entities.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Range } from '../platform/db/range.ts'
import { unitOf } from '../platform/db/sql.ts'
import { blockJoining } from './membership-queries.ts'
import { findList, hasConfirmationAutomation, listPage, lockList, type List } from './queries.ts'
import { ApiError } from '../platform/api-error.ts'
import { isId } from '../platform/ids.ts'

/** A page of a workspace's lists, newest first, and their total. */
export async function listLists(em: EntityManager, workspaceId: string, range: Range): Promise<[List[], number]> {
  return Promise.all([listPage(em.fork(), workspaceId, range), em.fork().count(ListRow, { workspaceId })])
}

/** @throws {ApiError} `not-found` */
export async function getList(em: EntityManager, workspaceId: string, id: string): Promise<List> {
  const list = isId(id) ? await findList(unitOf(em), workspaceId, id) : undefined
  if (!list) throw new ApiError(LIST_NOT_FOUND)
  return list
}

/** The fields of a list. */
export interface ListInput {
  name: string
  description?: string | null | undefined
  /** Whether the preferences page shows it. */
  public?: boolean | undefined
  /** Whether contacts must confirm by email before they join. Applies from now on. */
  doubleOptIn?: boolean | undefined
}

/**
 * Creates a list. @throws {ApiError} `confirmation_automation_missing`: such an automation can only be created for an existing
 * list
 */
export async function createList(
  em: EntityManager,
  workspaceId: string,
  { name, description, public: isPublic, doubleOptIn }: ListInput,
  id: string,
): Promise<List> {
  if (doubleOptIn === true) throw new ApiError(CONFIRMATION_AUTOMATION_MISSING)
  const unit = unitOf(em)
  unit.create(ListRow, { id, workspaceId, name, description: description ?? null, public: isPublic ?? false })
  await unit.flush()
  return getList(unit, workspaceId, id)
}

export type ListChange = { [Field in keyof ListInput]?: ListInput[Field] | undefined }

/**
 * Updates a list. Absent fields stay unchanged.
 *
 * @throws {ApiError} `not-found`; `confirmation_automation_missing` if double opt-in is switched on without an automation that
 * sends the confirmation email
 */
export async function updateList(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { name, description, public: isPublic, doubleOptIn }: ListChange,
): Promise<List> {
  const unit = unitOf(em)
  // A contact who joins concurrently either is added before the switch or must confirm after it.
  if (doubleOptIn !== undefined && isId(id)) {
    await blockJoining(unit, id)
    // Lock: pausing the automation that sends the confirmation emails comes before or after this.
    await lockList(unit, workspaceId, id)
  }
  const list = isId(id) ? await unit.findOne(ListRow, { id, workspaceId }) : null
  if (!list) throw new ApiError(LIST_NOT_FOUND)
  if (name !== undefined) list.name = name
  if (description !== undefined) list.description = description
  if (isPublic !== undefined) list.public = isPublic
  if (doubleOptIn === true && !list.doubleOptIn && !(await hasConfirmationAutomation(unit, workspaceId, list.id))) {
    throw new ApiError(CONFIRMATION_AUTOMATION_MISSING)
  }
  if (doubleOptIn !== undefined) list.doubleOptIn = doubleOptIn
  await unit.flush()
  return getList(unit, workspaceId, id)
}
