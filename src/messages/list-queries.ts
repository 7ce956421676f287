import type { EntityManager } from '../platform/db/orm.ts'
import { newestPage, type NewestPage, type Cursor } from '../platform/db/newest-page.ts'
import { sql, toDate } from '../platform/db/sql.ts'
import type { Source } from './authorization.ts'
import type { MessageOutcome, MessageStatus } from './message.ts'

/** A message in a list, without its content. */
export interface ListedMessage {
  id: string
  status: MessageStatus
  contactId: string
  automationId: string | null
  enrollmentId: string | null
  stepId: string | null
  campaignId: string | null
  to: string | null
  subject: string | null
  messageId: string | null
  attempts: number
  response: string | null
  error: string | null
  createdAt: Date
  sentAt: Date | null
  retryAt: Date | null
  deliveredAt: Date | null
  openedAt: Date | null
  clickedAt: Date | null
  place: Cursor
}

interface ListedRow {
  id: string
  status: MessageStatus
  contact_id: string
  automation_id: string | null
  enrollment_id: string | null
  step_id: string | null
  campaign_id: string | null
  recipient: string | null
  subject: string | null
  message_id: string | null
  attempts: number
  response: string | null
  error: string | null
  created_at: string
  sent_at: string | null
  retry_at: string | null
  delivered_at: string | null
  opened_at: string | null
  clicked_at: string | null
  micros: string
}

/** Filters for messages. A message must match all of them. */
export interface MessageSearch {
  automationId?: string | undefined
  campaignId?: string | undefined
  contactId?: string | undefined
  /** Reads all messages of the campaign until the page is full. */
  outcome?: MessageOutcome | undefined
  /** Only messages of this source. */
  only?: Source | undefined
}

/** A message that waits has neither yet: the contact's address, and the subject as written. */
const RECIPIENT = 'coalesce(item.recipient, (select email from contacts where id = item.contact_id)) as recipient'
const SUBJECT = `coalesce(item.subject, (select source ->> 'subject' from campaigns where id = item.campaign_id)) as subject`

const COLUMNS = `item.status, item.contact_id, item.automation_id, item.enrollment_id, item.step_id, item.campaign_id, ${RECIPIENT},
    ${SUBJECT}, item.message_id, item.attempts, item.response, item.error, item.sent_at,
    item.retry_at, item.delivered_at, item.opened_at, item.clicked_at`

/** SQL conditions on a message, as `presentResults` counts them. */
const OUTCOMES: Readonly<Record<MessageOutcome, string>> = {
  OPENED: 'item.opened_at is not null',
  NOT_OPENED: `item.status in ('SENT', 'CAPTURED') and item.opened_at is null and 'HARD_BOUNCED' <> all(item.results)`,
  MACHINE_OPENED: `'MACHINE_OPENED' = any(item.results)`,
  CLICKED: 'item.clicked_at is not null',
  BOUNCED: `item.results && '{HARD_BOUNCED, REJECTED}'`,
  UNSUBSCRIBED: `'UNSUBSCRIBED' = any(item.results)`,
  COMPLAINED: `'COMPLAINED' = any(item.results)`,
}

/**
 * Builds a statement that reads a page of a workspace's messages, newest first, using the narrowest index: by contact, by
 * automation, or by workspace.
 *
 * @param parameters the statement's parameters are appended to it
 */
function messagePage(
  workspaceId: string,
  { automationId, campaignId, contactId, outcome, only }: MessageSearch,
  page: Omit<NewestPage, 'table' | 'at' | 'of'>,
  parameters: unknown[],
): string {
  const of: string[] = []
  const own = `$${parameters.push(workspaceId)}::uuid`
  if (only !== undefined) of.push(`item.campaign_id is ${only === 'campaigns' ? 'not null' : 'null'}`)
  if (outcome !== undefined) of.push(OUTCOMES[outcome])
  if (contactId !== undefined) of.push(`item.contact_id = $${parameters.push(contactId)}::uuid`)
  if (automationId !== undefined) of.push(`item.automation_id = $${parameters.push(automationId)}::uuid`)
  // The workspace is checked in a subquery if another index is used: a plain condition would be checked for millions of rows.
  if (campaignId !== undefined) {
    of.push(`item.campaign_id = $${parameters.push(campaignId)}::uuid`)
    of.push(`(select workspace_id from campaigns where id = $${parameters.length}::uuid) = ${own}`)
  } else if (automationId === undefined || contactId !== undefined) of.push(`item.workspace_id = ${own}`)
  else of.push(`(select workspace_id from messages where automation_id = $${parameters.length}::uuid limit 1) = ${own}`)
  return newestPage({ table: 'messages', at: 'created_at', of: of.join(' and '), ...page }, parameters)
}

export async function messagesOf(
  em: EntityManager,
  workspaceId: string,
  search: MessageSearch,
  page: Omit<NewestPage, 'table' | 'at' | 'of' | 'columns'>,
): Promise<ListedMessage[]> {
  const parameters: unknown[] = []
  const text = messagePage(workspaceId, search, { columns: COLUMNS, ...page }, parameters)
  return (await sql<ListedRow>(em, text, parameters)).map(toListed)
}

/** Reads a page without details. */
export async function messagePageOf(
  em: EntityManager,
  workspaceId: string,
  search: MessageSearch,
  page: Omit<NewestPage, 'table' | 'at' | 'of' | 'columns'>,
): Promise<{ id: string; contactId: string; place: Cursor }[]> {
  const parameters: unknown[] = []
  const text = messagePage(workspaceId, search, { columns: 'item.contact_id', ...page }, parameters)
  const rows = await sql<Cursor & { contact_id: string }>(em, text, parameters)
  return rows.map(({ contact_id: contactId, micros, id }) => ({ id, contactId, place: { micros, id } }))
}

const dateOf = (text: string | null) => (text === null ? null : toDate(text))

const toListed = (row: ListedRow): ListedMessage => ({
  id: row.id,
  status: row.status,
  contactId: row.contact_id,
  automationId: row.automation_id,
  enrollmentId: row.enrollment_id,
  stepId: row.step_id,
  campaignId: row.campaign_id,
  to: row.recipient,
  subject: row.subject,
  messageId: row.message_id,
  attempts: row.attempts,
  response: row.response,
  error: row.error,
  createdAt: toDate(row.created_at),
  sentAt: dateOf(row.sent_at),
  retryAt: dateOf(row.retry_at),
  deliveredAt: dateOf(row.delivered_at),
  openedAt: dateOf(row.opened_at),
  clickedAt: dateOf(row.clicked_at),
  place: { micros: row.micros, id: row.id },
})
