import { bouncesOf, type MessageBounce } from '../bounces/index.ts'
import { Message } from '../messages/index.ts'
import { ApiError } from '../platform/api-error.ts'
import type { Cursor } from '../platform/db/newest-page.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import { isId } from '../platform/ids.ts'
import { TransactionalEmail } from './entities.ts'
import { EMAIL_NOT_FOUND } from './errors.ts'
import { type EmailRow, emailPage } from './queries.ts'

/** A transactional email, its message and its bounces. */
export interface EmailDetail {
  email: Omit<TransactionalEmail, symbol>
  message: Pick<
    Message,
    'status' | 'subject' | 'messageId' | 'response' | 'error' | 'sentAt' | 'finalAt' | 'deliveredAt'
  >
  bounces: readonly MessageBounce[]
}

/** An email that was just accepted. */
export const acceptedDetail = (row: EmailRow): EmailDetail => ({
  email: {
    ...row,
    contactId: row.contact_id,
    templateId: row.template_id,
    templateVersion: row.template_version,
    replyTo: row.reply_to,
    headers: { ...row.headers },
    tags: [...row.tags],
    attachments: [...row.attachments],
    scheduledAt: row.scheduled_at === null ? null : new Date(row.scheduled_at),
    cancelledAt: null,
    createdAt: new Date(row.created_at),
  },
  message: {
    status: 'QUEUED',
    subject: null,
    messageId: null,
    response: null,
    error: null,
    sentAt: null,
    finalAt: null,
    deliveredAt: null,
  },
  bounces: [],
})

/** Reads a transactional email with its message and bounces. @throws {ApiError} `email_not_found` */
export async function getEmail(em: EntityManager, workspaceId: string, id: string): Promise<EmailDetail> {
  const unit = unitOf(em)
  const email = isId(id) ? await unit.findOne(TransactionalEmail, { id, workspaceId }, FRESH_READ) : null
  const message = email && (await unit.findOne(Message, { id }, { ...FRESH_READ, exclude: ['html', 'text'] }))
  if (!email || !message) throw new ApiError(EMAIL_NOT_FOUND)
  return { email, message, bounces: await bouncesOf(unit, id) }
}

/** An email in a list, without its bounces. */
export type ListedEmail = Omit<EmailDetail, 'bounces'> & { place: Cursor }

/** Lists the emails of a workspace, newest first. */
export async function listEmails(
  em: EntityManager,
  workspaceId: string,
  search: Parameters<typeof emailPage>[2],
): Promise<ListedEmail[]> {
  const unit = unitOf(em)
  const page = await emailPage(unit, workspaceId, search)
  const ids = { id: { $in: page.map(({ id }) => id) } }
  const emails = await unit.find(TransactionalEmail, ids, FRESH_READ)
  const messages = await unit.find(Message, ids, { ...FRESH_READ, exclude: ['html', 'text'] })
  return page.flatMap(({ id, place }) => {
    const email = emails.find((each) => each.id === id)
    const message = messages.find((each) => each.id === id)
    return email && message ? [{ email, message, place }] : []
  })
}
