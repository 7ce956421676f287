import type { EntityManager } from '../platform/db/orm.ts'
import { readId } from '../platform/ids.ts'
import { EXAMPLE_ID } from '../http/index.ts'
import { findContactIds } from './queries.ts'

const BY_EMAIL = 'email:'
const BY_EXTERNAL_ID = 'external:'

/** A contact in a path: its id, or what else it is known by. The prefix says which, so that none is taken for another. */
export const CONTACT = {
  description: "The contact's id; or `email:` and its address; or `external:` and its externalId.",
  example: EXAMPLE_ID,
  async resolve(em: EntityManager, workspaceId: string, given: string): Promise<string | undefined> {
    if (given.startsWith(BY_EMAIL)) {
      const email = given.slice(BY_EMAIL.length).trim()
      return (await findContactIds(em.fork(), workspaceId, { email })).byEmail
    }
    if (given.startsWith(BY_EXTERNAL_ID)) {
      const externalId = given.slice(BY_EXTERNAL_ID.length)
      return (await findContactIds(em.fork(), workspaceId, { externalId })).byExternalId
    }
    return readId(given)
  },
}
