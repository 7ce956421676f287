import type { EntityManager } from '../platform/db/orm.ts'
import { Challenge, Invitation, Session } from './entities.ts'

/**
 * Ends all sessions and invitations, because those in a backup may have been used or revoked since. People must sign in again,
 * and open invitations must be created again.
 */
export async function revokeAllSessionsAndInvitations(transaction: EntityManager): Promise<void> {
  await transaction.nativeDelete(Session, {})
  await transaction.nativeDelete(Invitation, {})
  await transaction.nativeDelete(Challenge, {})
}
