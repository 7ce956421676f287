import type { EntityManager } from '../platform/db/orm.ts'
import { addressIdOf } from './address-id.ts'
import { addressKeysOf } from './recipients-queries.ts'
import { lockAddress } from './suppression-queries.ts'

/**
 * Locks the addresses that a contact has or had against transactional emails, until the transaction ends. The caller has locked
 * the contact. @returns the IDs that stand for the addresses
 */
export async function lockAddressesOf(
  em: EntityManager,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<string[]> {
  const keys = (await addressKeysOf(em, id)).toSorted()
  for (const key of keys) await lockAddress(em, { workspaceId, key })
  return keys.map((key) => addressIdOf(workspaceId, key))
}
