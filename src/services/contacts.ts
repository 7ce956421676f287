import { Message } from '../db/entities/message.ts'
import { Segment } from '../db/entities/segment.ts'
import type { EntityManager } from '../db/orm.ts'
import { unitOf } from '../db/sql.ts'
import {
  contactPage,
  findContact,
  searchContacts,
  type ContactFilter,
  type ContactProfile,
  type Range,
} from '../db/queries/contacts.ts'
import { countMessages, messageBodies } from '../db/queries/ledger.ts'
import { notFound } from '../domain/errors.ts'
import { isId } from '../domain/ids.ts'

/** What contacts are looked for by; all that is given has to be so. */
export interface ContactSearch {
  email?: string | undefined
  listId?: string | undefined
  tag?: string | undefined
  segmentId?: string | undefined
}

/**
 * A page of a workspace's contacts, newest first, and how many there are.
 * @throws {Refusal} `not-found` for a list or segment that is not in the workspace.
 */
export async function listContacts(
  em: EntityManager,
  workspaceId: string,
  { email, listId, tag, segmentId }: ContactSearch,
  range: Range,
): Promise<{ contacts: ContactProfile[]; total: number }> {
  const fork = em.fork()
  if (email === undefined && listId === undefined && tag === undefined && segmentId === undefined) {
    return contactPage(fork, workspaceId, range)
  }
  const filter: ContactFilter = { email, tag, listId }
  if (segmentId !== undefined) {
    const segment = isId(segmentId) ? await fork.findOne(Segment, { id: segmentId, workspaceId }) : null
    if (!segment) throw notFound('Segment not found')
    filter.condition = segment.condition
  }
  const found =
    listId === undefined || isId(listId) ? await searchContacts(fork, workspaceId, filter, range) : undefined
  if (!found) throw notFound('List not found in workspace')
  return found
}

/** @throws {Refusal} `not-found` */
export async function getContact(em: EntityManager, workspaceId: string, id: string): Promise<ContactProfile> {
  const contact = isId(id) ? await findContact(unitOf(em), workspaceId, id) : undefined
  if (!contact) throw contactNotFound()
  return contact
}

/** A message with its bodies, unless those before it in its page had too many already. */
export interface ActivityItem {
  message: Pick<Message, Exclude<keyof Message, symbol | 'html' | 'text'>>
  html: string | null
  text: string | null
  contentOmitted: boolean
}

/** How many bytes of bodies a page has: the message that goes beyond them is its last with any. */
const PAGE_BODY_BYTES = 2 * 1024 * 1024

/**
 * A page of what a contact was sent, newest first, and how much there is. A hundred messages can be hundreds of megabytes,
 * which nobody should hold at once: a page of one has its bodies always.
 *
 * @throws {Refusal} `not-found`
 */
export async function listActivity(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  range: Range,
): Promise<[ActivityItem[], number]> {
  const fork = em.fork()
  const total = isId(contactId) ? await countMessages(fork, workspaceId, contactId) : undefined
  if (total === undefined) throw contactNotFound()
  const newest = { createdAt: 'desc', id: 'desc' } as const
  const messages = await fork.find(
    Message,
    { contactId, workspaceId },
    { ...range, orderBy: newest, exclude: ['html', 'text'] },
  )
  const bodies = await messageBodies(
    fork,
    messages.map(({ id }) => id),
    PAGE_BODY_BYTES,
  )
  const items = messages.map((message): ActivityItem => {
    const body = bodies.get(message.id)
    return { message, html: body?.html ?? null, text: body?.text ?? null, contentOmitted: !body }
  })
  return [items, total]
}

export const contactNotFound = () => notFound('Contact not found')
