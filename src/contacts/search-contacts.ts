import { ApiError } from '../platform/api-error.ts'
import { LIST_NOT_FOUND } from '../lists/index.ts'
import { CONTACT_NOT_FOUND } from './errors.ts'
import { resolveSegments, Segment, SEGMENT_NOT_FOUND } from '../segments/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { contactPage, findContact, searchContacts, type ContactFilter, type ContactProfile } from './queries.ts'
import type { Range } from '../platform/db/range.ts'
import { isId } from '../platform/ids.ts'

/** The filters of a contact search. Contacts must match all of them. */
export interface ContactSearch {
  /** The beginning of an email or first name, or an external ID. */
  q?: string | undefined
  email?: string | undefined
  listId?: string | undefined
  /** Only contacts of the list with a pending confirmation. */
  isPending?: boolean | undefined
  tag?: string | undefined
  segmentId?: string | undefined
}

/**
 * A page of a workspace's contacts, newest first, and their total.
 * @throws {ApiError} `not-found` for a list or segment that is not in the workspace.
 */
export async function listContacts(
  em: EntityManager,
  workspaceId: string,
  { q, email, listId, isPending, tag, segmentId }: ContactSearch,
  range: Range,
): Promise<{ contacts: ContactProfile[]; total: number }> {
  const fork = em.fork()
  const begins = q?.trim() || undefined
  if ([begins, email, listId, tag, segmentId].every((each) => each === undefined)) {
    return contactPage(fork, workspaceId, range)
  }
  const filter: ContactFilter = { q: begins, email, tag, listId, isPending }
  if (segmentId !== undefined) {
    const segment = isId(segmentId) ? await fork.findOne(Segment, { id: segmentId, workspaceId }) : null
    if (!segment) throw new ApiError(SEGMENT_NOT_FOUND, { param: '/segmentId' })
    filter.condition = await resolveSegments(fork, workspaceId, segment.condition)
  }
  const found =
    listId === undefined || isId(listId) ? await searchContacts(fork, workspaceId, filter, range) : undefined
  if (!found) throw new ApiError(LIST_NOT_FOUND, { param: '/listId' })
  return found
}

/** @throws {ApiError} `not-found` */
export async function getContact(em: EntityManager, workspaceId: string, id: string): Promise<ContactProfile> {
  const contact = isId(id) ? await findContact(unitOf(em), workspaceId, id) : undefined
  if (!contact) throw new ApiError(CONTACT_NOT_FOUND)
  return contact
}
