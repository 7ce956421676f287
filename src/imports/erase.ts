import { addressKeysOf, type ErasedContact } from '../contacts/index.ts'
import type { Delivery } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { eraseCells } from './queries.ts'

/** Deletes the cells of failed rows that contain an address of an erased contact. */
export async function eraseFailedRows(
  em: EntityManager,
  { workspaceId, id }: ErasedContact,
): Promise<readonly Delivery[]> {
  await eraseCells(em, workspaceId, await addressKeysOf(em, id))
  return []
}
