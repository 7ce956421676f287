import type { EntityManager } from '../platform/db/orm.ts'
import { readId } from '../platform/ids.ts'
import { emailKey } from '../platform/email-address.ts'
import { addressIdOf } from './address-id.ts'
import { EXAMPLE_ID } from '../http/index.ts'
import { findContactIdByName } from './queries.ts'
import type { Caller } from '../workspaces/index.ts'

const BY_EMAIL = 'email:'
const BY_EXTERNAL_ID = 'external:'

/**
 * A contact in a path: its ID, its address, or its external ID with a prefix that makes it unambiguous. A key that may neither read
 * nor write contacts cannot use these to find out which contacts exist.
 */
export const CONTACT_PARAM = {
  description: "The contact's ID, its address (`email:` before it is optional), or `external:` and its externalId.",
  example: EXAMPLE_ID,
  async resolve(em: EntityManager, { workspace, scopes }: Caller, given: string): Promise<string | undefined> {
    const name = readName(given)
    if (name === undefined) return readId(given)
    if (!scopes.some((scope) => scope.startsWith('contacts:'))) return undefined
    return findContactIdByName(em, workspace.id, name)
  },
}

/** Reads an address or an external ID; `undefined` if the text is an ID. */
export function readName(given: string): { email: string } | { externalId: string } | undefined {
  if (given.startsWith(BY_EMAIL)) return { email: given.slice(BY_EMAIL.length).trim() }
  if (given.startsWith(BY_EXTERNAL_ID)) return { externalId: given.slice(BY_EXTERNAL_ID.length) }
  // No ID has this character. An external ID that has it needs its prefix.
  return given.includes('@') ? { email: given.trim() } : undefined
}

/** Returns the ID that stands for the address in `email:…`, for messages to an address without a contact. */
export function addressIdIn(workspaceId: string, given: string): string | undefined {
  const name = readName(given)
  return name && 'email' in name ? addressIdOf(workspaceId, emailKey(name.email)) : undefined
}

/** Resolves a contact in a body or query, in the same formats. @returns its ID, or the given text if there is no such contact. */
export const resolveContactId = async (em: EntityManager, caller: Caller, given: string): Promise<string> =>
  (await CONTACT_PARAM.resolve(em, caller, given)) ?? given
