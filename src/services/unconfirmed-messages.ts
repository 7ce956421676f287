import type { EntityManager } from '../db/orm.ts'
import * as unconfirmed from '../db/queries/unconfirmed.ts'
import { notFound } from '../domain/errors.ts'
import { isId, newId } from '../domain/ids.ts'
import type { MessageStatus } from '../domain/messages.ts'
import { deliverClaimed, type SendMessageDependencies } from './send-message.ts'

const LISTED = 1_000

/** The messages that wait for an operator's decision, oldest first. */
export const listUnconfirmed = (em: EntityManager): Promise<unconfirmed.UnconfirmedMessage[]> =>
  unconfirmed.listUnconfirmed(em.fork(), LISTED)

/** Leaves a message as it is. @throws {Refusal} `not-found` */
export async function dismissMessage(em: EntityManager, id: string): Promise<void> {
  if (!isId(id) || !(await unconfirmed.dismissUnconfirmed(em.fork(), id))) throw noSuchMessage(id)
}

/**
 * Sends a message once more, because an operator says that it did not arrive. The contact may have it twice then, under
 * the same Message-ID; that is the operator's decision and never ours.
 *
 * @returns what became of it: UNCONFIRMED again where it could not be handed over.
 * @throws {Refusal} `not-found`
 */
export async function resendMessage(dependencies: SendMessageDependencies, id: string): Promise<MessageStatus> {
  const em = dependencies.em.fork()
  const claimed = isId(id) ? await unconfirmed.reclaimUnconfirmed(em, id, newId()) : undefined
  if (!claimed) throw noSuchMessage(id)
  const result = await deliverClaimed(dependencies, claimed.key, claimed.message)
  if (result.kind === 'settled') return result.status
  await unconfirmed.keepUnconfirmed(em, id, claimed.message.claim)
  return 'UNCONFIRMED'
}

const noSuchMessage = (id: string) =>
  notFound(`There is no unconfirmed message ${id} of an automation that still exists`)
