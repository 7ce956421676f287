import type { EntityManager } from '../platform/db/orm.ts'
import { Refusal } from '../platform/refusal.ts'
import { SIGNED_OUT, type StillIn } from '../http/index.ts'
import { lockOwners, lockSession } from './queries.ts'

/**
 * Looks again, in the transaction that changes something, at whoever was let in: a request's body may take a minute to come, and a
 * lock may, too. Until the end of the transaction nobody ends the session, removes the member or changes the role; so what
 * somebody does is done before they are signed out or removed, or not at all.
 *
 * @returns what they are in the workspace; `undefined` where they are no member of it @throws {Refusal} `signed_out`
 */
export const stillIn: StillIn = async (em, { accountId, sessionId }, workspaceId, { isOwners }) => {
  // First, and in this order, by all who do what owners may: of two who demote each other neither waits for the other.
  if (isOwners) await lockOwners(em, workspaceId)
  const found = await lockSession(em, { accountId, sessionId, workspaceId })
  if (!found) throw new Refusal(SIGNED_OUT)
  return found.role ?? undefined
}

/** That a session goes on, and does until the end of the transaction. @throws {Refusal} `signed_out` */
export async function assertSignedInStill(
  transaction: EntityManager,
  who: { accountId: string; sessionId: string },
): Promise<void> {
  if (!(await lockSession(transaction, { ...who, workspaceId: null }))) throw new Refusal(SIGNED_OUT)
}
