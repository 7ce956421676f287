import { GATE_COLUMNS, gateOf, type GateRow } from '../instance/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toDate } from '../platform/db/sql.ts'
import { senderOf, type WorkspaceSender } from '../senders/index.ts'
import type { WorkspaceMode } from '../workspaces/index.ts'
import type { MessageRef, MessageStatus, StepRef } from './message.ts'
import type { SendSettings } from './prepared.ts'
import { type Retryable, RETRYABLE } from './transitions.ts'

/** A message's row, as an attempt reads it. */
export interface StoredMessage {
  id: string
  ref: MessageRef
  workspaceId: string
  contactId: string
  automationId: string | null
  status: MessageStatus
  attempts: number
  /** Its Message-ID header. */
  messageId: string | null
  /** When a retry was requested, as Postgres prints it. */
  retryAt: string | null
  /** When its enrollment was ended by request, as Postgres prints it. */
  abandonedAt: string | null
  /** When its enrollment continued. */
  finalAt: Date | null
  claimedAt: Date
  /** When a message of a campaign or a transactional email may be sent. */
  dueAt: Date | null
  leaseUntil: Date | null
  /** Campaign messages only: the A/B variant, and the lists that included the contact. */
  variant: number
  listIds: readonly string[]
}

interface StoredRow {
  id: string
  workspace_id: string
  contact_id: string
  automation_id: string | null
  enrollment_id: string | null
  step_id: string | null
  campaign_id: string | null
  status: MessageStatus
  attempts: number
  message_id: string | null
  retry_at: string | null
  abandoned_at: string | null
  final_at: string | null
  claimed_at: string
  due_at: string | null
  lease_until: string | null
  variant: number | null
  list_ids: string[] | null
}

const STORED = `
select id, workspace_id, contact_id, automation_id, enrollment_id, step_id, campaign_id, status, attempts, message_id,
  retry_at, abandoned_at, final_at, claimed_at, due_at, lease_until, variant, list_ids
from messages`

function refOf(row: StoredRow): MessageRef {
  const { id, campaign_id: campaignId, contact_id: contactId, enrollment_id: enrollmentId } = row
  if (campaignId !== null) return { kind: 'campaign', campaignId, contactId }
  if (enrollmentId === null) return { kind: 'email', id }
  return { kind: 'step', enrollmentId, stepId: row.step_id! }
}

/** Converts a time of a campaign's message that waits for a winner, `infinity`, to none. */
const dateOf = (text: string | null): Date | null => (text === null || text === 'infinity' ? null : toDate(text))

const toStored = (row: StoredRow): StoredMessage => ({
  id: row.id,
  ref: refOf(row),
  workspaceId: row.workspace_id,
  contactId: row.contact_id,
  automationId: row.automation_id,
  status: row.status,
  attempts: row.attempts,
  messageId: row.message_id,
  retryAt: row.retry_at,
  abandonedAt: row.abandoned_at,
  finalAt: dateOf(row.final_at),
  claimedAt: toDate(row.claimed_at),
  dueAt: dateOf(row.due_at),
  leaseUntil: dateOf(row.lease_until),
  variant: row.variant ?? 0,
  listIds: row.list_ids ?? [],
})

/** Finds a step's message. */
export async function findStepMessage(
  em: EntityManager,
  { enrollmentId, stepId }: Omit<StepRef, 'kind'>,
): Promise<StoredMessage | undefined> {
  const [row] = await preparedSql<StoredRow>(
    em,
    'find-step-message',
    `${STORED} where enrollment_id = $1::uuid and step_id = $2::uuid`,
    [enrollmentId, stepId],
  )
  return row && toStored(row)
}

export async function findMessage(em: EntityManager, id: string): Promise<StoredMessage | undefined> {
  const [row] = await preparedSql<StoredRow>(em, 'find-message', `${STORED} where id = $1::uuid`, [id])
  return row && toStored(row)
}

/** Reads the final messages of an enrollment. */
export async function finalMessagesOf(em: EntityManager, enrollmentId: string): Promise<StoredMessage[]> {
  const rows = await sql<StoredRow>(em, `${STORED} where enrollment_id = $1::uuid and final_at is not null`, [
    enrollmentId,
  ])
  return rows.map(toStored)
}

/** Reads the recipients of a campaign that are due, the earliest first. */
export async function dueRecipients(em: EntityManager, campaignId: string, limit: number): Promise<StoredMessage[]> {
  const rows = await preparedSql<StoredRow>(
    em,
    'due-recipients',
    `${STORED} where campaign_id = $1::uuid and status in ('QUEUED', 'DEFERRED') and due_at <= now()
     order by due_at, id limit $2`,
    [campaignId, limit],
  )
  return rows.map(toStored)
}

/** Remaining work of a campaign. */
export interface RemainingRecipients {
  /** When the first queued or deferred recipient is due. */
  dueAt: Date | null
  /** Whether some recipients are waiting for the winner of an A/B test. */
  isWaitingForWinner: boolean
  /** Whether some recipients have not been tried and are not waiting for the winner. */
  isQueued: boolean
  isSending: boolean
}

export async function remainingRecipients(em: EntityManager, campaignId: string): Promise<RemainingRecipients> {
  const [row] = await preparedSql<{
    due_at: string | null
    is_waiting: boolean
    is_queued: boolean
    is_sending: boolean
  }>(em, 'remaining-recipients', REMAINING, [campaignId])
  return {
    dueAt: dateOf(row?.due_at ?? null),
    isWaitingForWinner: row?.is_waiting ?? false,
    isQueued: row?.is_queued ?? false,
    isSending: row?.is_sending ?? false,
  }
}

const REMAINING = `
select
  (select min(due_at) from messages
   where campaign_id = $1::uuid and status in ('QUEUED', 'DEFERRED') and due_at < 'infinity') as due_at,
  exists (
    select from messages where campaign_id = $1::uuid and status in ('QUEUED', 'DEFERRED') and due_at = 'infinity'
  ) as is_waiting,
  exists (select from messages where campaign_id = $1::uuid and status = 'QUEUED' and due_at < 'infinity') as is_queued,
  exists (select from messages where campaign_id = $1::uuid and status = 'SENDING') as is_sending`

/** Reads the current send settings of a workspace; `undefined` if the workspace is deleted. */
export async function readSendSettings(em: EntityManager, workspaceId: string): Promise<SendSettings | undefined> {
  const [row] = await preparedSql<GateRow & { mode: WorkspaceMode; sender: WorkspaceSender | null }>(
    em,
    'read-send-settings',
    SETTINGS,
    [workspaceId],
  )
  if (!row) return undefined
  return { workspaceMode: row.mode, sender: row.sender, ...gateOf(row) }
}

const SETTINGS = `
select workspace.mode, ${senderOf('workspace.id')} as sender, ${GATE_COLUMNS}
from workspaces workspace left join instance on true where workspace.id = $1::uuid`

/**
 * SQL condition on a row `message`: whether no process will try it again although it is not final, so that an operator must
 * decide. These are UNCONFIRMED messages, claims whose owner died a while ago, and deferred messages whose enrollment has ended.
 * Indexes cover all of them.
 */
export const NEEDS_DECISION = `
(message.status in ('UNCONFIRMED', 'SENDING', 'DEFERRED')
  and (message.status = 'UNCONFIRMED'
    or (message.status = 'SENDING' and message.lease_until < now() - interval '10 minutes')
    -- A campaign and a transactional email retry by themselves.
    or (message.status = 'DEFERRED' and message.automation_id is not null
      and not exists (select from enrollments where id = message.enrollment_id and status = 'ACTIVE'))))`

/** A message that needs an operator's decision. */
export interface UndecidedMessage {
  id: string
  /** DEFERRED if it was certainly not sent. Otherwise the outcome is unknown. */
  status: 'UNCONFIRMED' | 'SENDING' | 'DEFERRED'
  workspaceId: string
  contactId: string
  /** `null` for a campaign's message. */
  automationId: string | null
  /** The Message-ID header, which identifies it in the mail server's log. */
  messageId: string | null
  error: string | null
  claimedAt: string
}

/** Reads the messages that need a decision, oldest first. */
export async function undecidedMessages(em: EntityManager, limit: number): Promise<UndecidedMessage[]> {
  return sql<UndecidedMessage>(
    em,
    `select id, status, workspace_id as "workspaceId", contact_id as "contactId", automation_id as "automationId",
       message_id as "messageId", error,
       to_char(claimed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "claimedAt"
     from messages message where ${NEEDS_DECISION} order by claimed_at limit $1`,
    [limit],
  )
}

/** Reads the status of a message, and whether it needs a decision; `undefined` if it does not exist. */
export async function findDecision(
  em: EntityManager,
  id: string,
): Promise<{ status: MessageStatus; needsDecision: boolean } | undefined> {
  const [row] = await sql<{ status: MessageStatus; needs_decision: boolean }>(
    em,
    `select status, ${NEEDS_DECISION} as needs_decision from messages message where id = $1::uuid`,
    [id],
  )
  return row && { status: row.status, needsDecision: row.needs_decision }
}

/** SQL condition on a row `message`: whether its automation or campaign, and its contact, still exist. */
const HAS_SOURCE = `
exists (select from contacts where id = message.contact_id) and (
  exists (select from campaigns where id = message.campaign_id and status <> 'CANCELLED')
  or exists (select from automations where id = message.automation_id and deleted_at is null)
)`

/** Reads a message for which a retry is requested. */
export async function findRetryCandidate(
  em: EntityManager,
  workspaceId: string,
  id: string,
): Promise<{ status: MessageStatus; isEmail: boolean; hasSource: boolean; createdAt: Date } | undefined> {
  const [row] = await sql<{ status: MessageStatus; is_email: boolean; has_source: boolean; created_at: string }>(
    em,
    `select status, created_at, automation_id is null and campaign_id is null as is_email, ${HAS_SOURCE} as has_source
     from messages message
     where id = $2::uuid and workspace_id = $1::uuid`,
    [workspaceId, id],
  )
  if (!row) return undefined
  const { status, is_email: isEmail, has_source: hasSource, created_at: createdAt } = row
  return { status, isEmail, hasSource, createdAt: toDate(createdAt) }
}

/** Checks whether the automation or campaign of a message, and its contact, still exist. */
export async function hasSource(em: EntityManager, id: string): Promise<boolean> {
  return (await sql(em, `select from messages message where id = $1::uuid and ${HAS_SOURCE}`, [id])).length > 0
}

/** Filters the messages that a bulk retry may include: their source exists and their enrollment was not cancelled. */
export async function retryableAmong(em: EntityManager, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    em,
    `select id from messages message where id = any($1::uuid[]) and ${HAS_SOURCE}
       and not exists (select from enrollments where id = message.enrollment_id and status = 'CANCELLED')`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** Minutes after which a retry counts as overdue: Temporal may have lost it. */
const OVERDUE_MINUTES = 10
const RETRYABLE_STATUSES = `status in (${RETRYABLE.map((status: Retryable) => `'${status}'`).join(', ')})`

/** Reads some of the messages whose retry is overdue. */
export async function overdueRetries(em: EntityManager, limit: number): Promise<{ id: string; workspaceId: string }[]> {
  return sql<{ id: string; workspaceId: string }>(
    em,
    `select id, workspace_id as "workspaceId" from messages message
     where ${RETRYABLE_STATUSES} and retry_at < now() - interval '${OVERDUE_MINUTES} minutes'
       and (exists (select from campaigns where id = campaign_id and status in ('SENDING', 'SENT'))
         or exists (select from automations where id = automation_id and status in ('ACTIVE', 'ARCHIVED') and deleted_at is null))
     order by random() limit $1`,
    [limit],
  )
}

/** Reads a page of the messages of an automation or campaign with a pending retry, in the order of their IDs. */
export async function waitingRetries(
  em: EntityManager,
  of: { automationId: string } | { campaignId: string },
  afterId: string | null,
  limit: number,
): Promise<{ id: string; workspaceId: string }[]> {
  const [column, id] = 'automationId' in of ? ['automation_id', of.automationId] : ['campaign_id', of.campaignId]
  return sql<{ id: string; workspaceId: string }>(
    em,
    `select id, workspace_id as "workspaceId" from messages
     where ${column} = $1::uuid and retry_at is not null and ${RETRYABLE_STATUSES} and ($2::uuid is null or id > $2::uuid)
     order by id limit $3`,
    [id, afterId, limit],
  )
}

/** Reads the automations that have messages with a pending retry. */
export async function automationsWithRetries(em: EntityManager): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    em,
    'select distinct automation_id as id from messages where retry_at is not null and automation_id is not null',
  )
  return rows.map(({ id }) => id)
}

/** Checks whether a message to an erased contact is in flight. */
export async function hasMessageInFlight(em: EntityManager, workspaceId: string, contactId: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from messages where contact_id = $2::uuid and workspace_id = $1::uuid and status = 'SENDING'
       and not exists (select from contacts where id = $2::uuid) limit 1`,
    [workspaceId, contactId],
  )
  return rows.length > 0
}
