import { ApiError } from '../platform/api-error.ts'
import { CONTACT_NOT_FOUND } from '../contacts/index.ts'
import type { Range } from '../platform/db/range.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { isId } from '../platform/ids.ts'
import { Message } from './entities.ts'
import { MESSAGE_NOT_FOUND } from './errors.ts'
import { type ClickedLink, countMessages, messageDetails } from './activity-queries.ts'

/** Reads a message with its content. @throws {ApiError} `message_not_found` */
export async function getMessage(em: EntityManager, workspaceId: string, id: string): Promise<ActivityItem> {
  const fork = em.fork()
  const message = isId(id) ? await fork.findOne(Message, { id, workspaceId }, { exclude: ['html', 'text'] }) : null
  if (!message) throw new ApiError(MESSAGE_NOT_FOUND)
  const { body, clicks = [] } = (await messageDetails(fork, [id], PAGE_BODY_BYTES)).get(id) ?? {}
  return { message, html: body?.html ?? null, text: body?.text ?? null, contentOmitted: false, clicks }
}

/** A message with its bodies, unless the preceding messages on the page use up the limit. */
export interface ActivityItem {
  message: Pick<Message, Exclude<keyof Message, symbol | 'html' | 'text'>>
  html: string | null
  text: string | null
  contentOmitted: boolean
  /** The links that a person clicked. */
  clicks: ClickedLink[]
}

/** Maximum bytes of bodies in a page. The message that exceeds it is the last one with bodies. */
const PAGE_BODY_BYTES = 2 * 1024 * 1024

/**
 * Returns a page of the messages to a contact, newest first, and the total number. A hundred messages can be hundreds of
 * megabytes, too much for memory. A page with a single message always has its bodies.
 *
 * @throws {ApiError} `not-found`
 */
export async function listActivity(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  range: Range,
): Promise<[ActivityItem[], number]> {
  const fork = em.fork()
  const total = isId(contactId) ? await countMessages(fork, workspaceId, contactId) : undefined
  if (total === undefined) throw new ApiError(CONTACT_NOT_FOUND)
  const newest = { createdAt: 'desc', id: 'desc' } as const
  const messages = await fork.find(
    Message,
    { contactId, workspaceId },
    { ...range, orderBy: newest, exclude: ['html', 'text'] },
  )
  const ids = messages.map(({ id }) => id)
  const details = await messageDetails(fork, ids, PAGE_BODY_BYTES)
  const items = messages.map((message): ActivityItem => {
    const { body, clicks = [] } = details.get(message.id) ?? {}
    return { message, html: body?.html ?? null, text: body?.text ?? null, contentOmitted: !body, clicks }
  })
  return [items, total]
}
