import type { EntityManager } from '../platform/db/orm.ts'
import { Challenge, Invitation, Session } from './entities.ts'

/**
 * Ends every session and every link: what comes from a backup may have been used or taken back since, and nobody knows. People sign in
 * again; whoever is to be invited is invited again.
 */
export async function revokeAllSessionsAndInvitations(transaction: EntityManager): Promise<void> {
  await transaction.nativeDelete(Session, {})
  await transaction.nativeDelete(Invitation, {})
  await transaction.nativeDelete(Challenge, {})
}
