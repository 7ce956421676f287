import {
  deleteListRow,
  getList,
  isListInUse,
  LIST_IN_USE,
  LIST_NOT_FOUND,
  lockList,
  removeMembers,
  setDeleting,
  someContactsOf,
} from '../lists/index.ts'
import type { Call } from '../platform/call.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { ApiError } from '../platform/api-error.ts'
import { pageSizes } from '../platform/page-sizes.ts'
import { incrementConsentVersion, lockContacts } from './write-queries.ts'

/**
 * Deletes a list. Its contacts stay, and enrollments that it started continue. The list is emptied page by page. If that fails
 * halfway, the list still exists, and deleting it again continues.
 *
 * @throws {ApiError} `not-found`; `taken` if an automation or a scheduled campaign uses it
 */
export async function deleteList(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { audit }: Pick<Call, 'audit'>,
): Promise<void> {
  // Recorded first: if it fails halfway, some contacts have already left. The mark keeps new automations and campaigns from using
  // half a list.
  await em.fork().transactional(async (unit) => {
    await getList(unit, workspaceId, id)
    await lockList(unit, workspaceId, id)
    if (await isListInUse(unit, workspaceId, id)) throw new ApiError(LIST_IN_USE)
    await setDeleting(unit, id, true)
    await audit(unit)
  })
  try {
    await deleteGoing(em, workspaceId, id)
  } catch (error) {
    if (error instanceof ApiError) await setDeleting(em.fork(), id, false)
    throw error
  }
}

async function deleteGoing(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  const leave = () =>
    em.fork().transactional(async (unit) => {
      // Lock: publishing an automation that this list triggers waits for this page. Once there is one, no further page is
      // emptied.
      if (!(await lockList(unit, workspaceId, id))) throw new ApiError(LIST_NOT_FOUND)
      if (await isListInUse(unit, workspaceId, id)) throw new ApiError(LIST_IN_USE)
      const contactIds = await someContactsOf(unit, id, pageSizes.deletedList)
      await lockContacts(unit, workspaceId, contactIds)
      await removeMembers(unit, workspaceId, id, contactIds)
      await incrementConsentVersion(unit, contactIds)
      return contactIds.length
    })
  while ((await leave()) === pageSizes.deletedList);
  await em.fork().transactional(async (unit) => {
    if (!(await deleteListRow(unit, workspaceId, id))) throw new ApiError(LIST_NOT_FOUND)
    // Checked after the lock on the list's row, because publishing an automation with this trigger waits for it.
    if (await isListInUse(unit, workspaceId, id)) throw new ApiError(LIST_IN_USE)
  })
}
