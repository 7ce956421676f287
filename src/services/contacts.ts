import { Contact } from '../db/entities/contact.ts'
import { Message } from '../db/entities/message.ts'
import type { EntityManager } from '../db/orm.ts'
import { notFound } from '../domain/errors.ts'
import { isId } from '../domain/ids.ts'

interface Range {
  limit: number
  offset: number
}

const NEWEST = { createdAt: 'desc', id: 'desc' } as const

/** A page of a workspace's contacts, newest first, and how many there are. */
export const listContacts = (em: EntityManager, workspaceId: string, range: Range): Promise<[Contact[], number]> =>
  em.fork().findAndCount(Contact, { workspaceId }, { ...range, orderBy: NEWEST })

/** A page of what a contact was sent, newest first, and how much there is. @throws {Refusal} `not-found` */
export async function listActivity(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  range: Range,
): Promise<[Message[], number]> {
  const fork = em.fork()
  if (!isId(contactId) || (await fork.count(Contact, { id: contactId, workspaceId })) === 0) {
    throw notFound('Contact not found')
  }
  return fork.findAndCount(Message, { contactId, workspaceId }, { ...range, orderBy: NEWEST })
}
