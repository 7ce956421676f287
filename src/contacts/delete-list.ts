import {
  deleteListRow,
  getList,
  isListenedTo,
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
import { incrementConsentVersion, lockContacts } from './write-queries.ts'

/** How many contacts leave a list in one transaction: others wait for its counter no longer than that takes. */
const PAGE = 5_000

/**
 * Deletes a list for good; the contacts that were in it stay, and enrollments that their joining started go on. It is emptied
 * page by page: where that breaks off, the list is still there, and deleting it again goes on.
 *
 * @throws {ApiError} `not-found`; `taken` while an ACTIVE automation listens for it.
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
    if (await isListenedTo(unit, workspaceId, id)) throw new ApiError(LIST_IN_USE)
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
      // An automation that is to listen for it waits for this page; and where one does, no further page is emptied.
      if (!(await lockList(unit, workspaceId, id))) throw new ApiError(LIST_NOT_FOUND)
      if (await isListenedTo(unit, workspaceId, id)) throw new ApiError(LIST_IN_USE)
      const contactIds = await someContactsOf(unit, id, PAGE)
      await lockContacts(unit, workspaceId, contactIds)
      await removeMembers(unit, id, contactIds)
      await incrementConsentVersion(unit, contactIds)
      return contactIds.length
    })
  while ((await leave()) === PAGE);
  await em.fork().transactional(async (unit) => {
    if (!(await deleteListRow(unit, workspaceId, id))) throw new ApiError(LIST_NOT_FOUND)
    // Behind the lock on its row, for which an automation waits that is to listen for it.
    if (await isListenedTo(unit, workspaceId, id)) throw new ApiError(LIST_IN_USE)
  })
}
