import type { EntityManager } from '../platform/db/orm.ts'
import { readId } from '../platform/ids.ts'
import { EXAMPLE_ID } from '../http/index.ts'
import { findNamed } from './queries.ts'
import type { Caller } from '../workspaces/index.ts'

const BY_EMAIL = 'email:'
const BY_EXTERNAL_ID = 'external:'

/**
 * A contact in a path: its id, or what else it is known by. The prefix says which, so that none is taken for another. A key that
 * neither reads nor writes contacts does not learn by it who has a name.
 */
export const CONTACT = {
  description: "The contact's id; or `email:` and its address; or `external:` and its externalId.",
  example: EXAMPLE_ID,
  async resolve(em: EntityManager, { workspace, scopes }: Caller, given: string): Promise<string | undefined> {
    const name = readName(given)
    if (name === undefined) return readId(given)
    if (!scopes.some((scope) => scope.startsWith('contacts:'))) return undefined
    return findNamed(em, workspace.id, name)
  },
}

function readName(given: string): { email: string } | { externalId: string } | undefined {
  if (given.startsWith(BY_EMAIL)) return { email: given.slice(BY_EMAIL.length).trim() }
  if (given.startsWith(BY_EXTERNAL_ID)) return { externalId: given.slice(BY_EXTERNAL_ID.length) }
  return undefined
}

/** A contact that a body or a query names, in the same ways. @returns its id, or what was given where it names nobody. */
export const namedContact = async (em: EntityManager, caller: Caller, given: string): Promise<string> =>
  (await CONTACT.resolve(em, caller, given)) ?? given
