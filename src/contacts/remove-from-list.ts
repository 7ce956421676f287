import { getList, NOT_IN_LIST, removeMembers } from '../lists/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { inTransaction } from '../platform/db/sql.ts'
import { isId } from '../platform/ids.ts'
import { ApiError } from '../platform/api-error.ts'
import { incrementConsentVersion, lockContacts } from './write-queries.ts'

/**
 * Removes a contact from a list, or its pending confirmation. Enrollments that joining the list started continue.
 *
 * @throws {ApiError} `not-found`
 */
export const removeFromList = (
  em: EntityManager,
  workspaceId: string,
  listId: string,
  contactId: string,
): Promise<void> =>
  inTransaction(em, async (unit) => {
    await getList(unit, workspaceId, listId)
    if (!isId(contactId)) throw new ApiError(NOT_IN_LIST)
    await lockContacts(unit, workspaceId, [contactId])
    if ((await removeMembers(unit, workspaceId, listId, [contactId])) === 0) throw new ApiError(NOT_IN_LIST)
    await incrementConsentVersion(unit, [contactId])
  })
