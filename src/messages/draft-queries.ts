import {
  type AutomationStatus,
  type EmailCategory,
  eventCause,
  HOLDING_STATUSES,
  type SendFailurePolicy,
  sends,
} from '../sequences/index.ts'
import type { EmailContent, TemplateVariables } from '../rendering/index.ts'
import type { WorkspaceMode } from '../workspaces/index.ts'
import type { MessageKey, MessageStatus } from './message.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { Message } from './entities.ts'
import { type SuppressedBy, suppressedBy } from '../contacts/index.ts'
import { senderOf, type WorkspaceSender } from '../senders/index.ts'
import { listBegunBy } from '../triggers/index.ts'
import { AS_IT_IS, preparedSql, sql, toDate, unitOf } from '../platform/db/sql.ts'

/** Why a step's email is not to be sent now. */
export type NotNow =
  /** The automation does not send now. */
  | { kind: 'held' }
  /** The installation was restored from a backup, and not reconciled yet. */
  | { kind: 'restored' }
  /** The enrollment, the automation or the contact is gone. */
  | { kind: 'gone' }
  /** Another attempt is handing it over, or was before it died: what became of it is known when its lease is over. */
  | { kind: 'busy' }
  /** It is settled; `died` is its id where it was settled by this look, because its owner was dead. */
  | {
      kind: 'existing'
      status: MessageStatus
      settledAt: Date
      onSendFailure: SendFailurePolicy
      died: string | undefined
    }

/** What an attempt needs to know before it claims: what to send, to whom, and how often it was claimed before. */
export interface Draft {
  kind: 'ready'
  /** The attempts so far. A claim says it, and fails where another attempt has come between. */
  attempts: number
  /** How often the enrollment was held so far. A claim says it, and fails where it was held since: its workflow waits. */
  holds: number
  workspaceId: string
  workspaceMode: WorkspaceMode
  onSendFailure: SendFailurePolicy
  content: EmailContent
  category: EmailCategory
  contactId: string
  contact: TemplateVariables['contact']
  /** How often it has changed what may be sent to the contact. A claim says it, and fails where it has since. */
  consents: number
  /** Why it is not to be sent; `null`: it is. */
  suppressedBy: SuppressedBy | null
  /** From whom the workspace's mail is; `null`: from whom the installation's is. */
  sender: WorkspaceSender | null
  /** What started the enrollment, where that was an event. */
  event: NonNullable<TemplateVariables['event']> | null
  /** What it asks her to confirm: see `list_requests`; `null`: nothing. */
  listRequestId: string | null
  /** How this installation sends mail, if anybody has said. */
  mail: 'smtp' | 'capture' | null
  /** What was due until then may have been sent by what this installation was before it was restored, without the ledger's knowing. */
  lostUntil: Date | null
}

/**
 * Looks at a step's email, without a lock: what may have changed by the time it is handed over is asked again by the claim.
 * A claim whose owner is dead, because its lease is over, is settled as UNCONFIRMED here: nobody knows whether the server
 * has the message.
 */
export async function draftMessage(em: EntityManager, key: MessageKey, automationId: string): Promise<Draft | NotNow> {
  const read = async () => {
    const parameters = [key.enrollmentId, key.stepId, key.visit, automationId]
    return (await preparedSql<DraftRow>(em, 'draft-message', DRAFT, parameters))[0]
  }
  let row = await read()
  if (!row) {
    if (await mayBeRecordedYet(em, key.enrollmentId)) return { kind: 'restored' }
    // It may have been recorded between these two looks; behind the second one it is there, or is not to be.
    row = await read()
    if (!row) return { kind: 'gone' }
  }
  if (row.message_status !== null && row.message_status !== 'DEFERRED') {
    const settled =
      row.message_status === 'SENDING' ? await settleDead(em, key) : { status: row.message_status, died: undefined }
    // Its owner may live; or it did, and has told just now that it was not sent.
    if (settled.status === 'DEFERRED' || settled.status === 'SENDING') return { kind: 'busy' }
    const settledAt = row.settled_at === null ? new Date() : toDate(row.settled_at)
    return { kind: 'existing', ...settled, settledAt, onSendFailure: row.on_send_failure }
  }
  if (!sends(row.automation_status)) return { kind: 'held' }
  if (row.is_restored) return { kind: 'restored' }
  // Nothing but a ledger that is older than the workflow has not her step: there is nothing to go on with.
  if (row.subject === null) return { kind: 'gone' }
  return {
    kind: 'ready',
    attempts: row.attempts,
    holds: row.holds,
    workspaceId: row.workspace_id,
    workspaceMode: row.mode,
    onSendFailure: row.on_send_failure,
    content: { subject: row.subject, html: row.html, text: row.text },
    category: row.category ?? 'marketing',
    contactId: row.contact_id,
    consents: row.consents,
    suppressedBy: row.suppressed_by,
    sender: row.sender,
    contact: { email: row.email, firstName: row.first_name, metadata: row.metadata },
    event: row.event,
    listRequestId: row.list_request_id,
    mail: row.mail,
    lostUntil: row.lost_until === null ? null : toDate(row.lost_until),
  }
}

/** Whether reconciling may still record an enrollment that runs: a ledger that was restored can be older than Temporal. */
async function mayBeRecordedYet(em: EntityManager, enrollmentId: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from installation
     where restored_at is not null and not exists (select from enrollments where id = $1::uuid)`,
    [enrollmentId],
  )
  return rows.length > 0
}

interface DraftRow {
  workspace_id: string
  automation_status: AutomationStatus
  on_send_failure: SendFailurePolicy
  mode: WorkspaceMode
  contact_id: string
  consents: number
  category: EmailCategory | null
  suppressed_by: SuppressedBy | null
  sender: WorkspaceSender | null
  email: string
  first_name: string | null
  metadata: Record<string, unknown>
  event: Draft['event']
  list_request_id: string | null
  subject: string | null
  html: string | null
  text: string | null
  message_status: MessageStatus | null
  settled_at: string | null
  attempts: number
  holds: number
  mail: 'smtp' | 'capture' | null
  is_restored: boolean
  lost_until: string | null
}

/** Of a row `enrollment` and its row `automation`: the list whose joining began it. */
export const LIST_OF_ENROLLMENT = listBegunBy('LIST_ADDED')

/** Of the same and a row `contact`: what she is asked to confirm by it, if it asks. */
export const REQUEST_OF_ENROLLMENT = `case when ${listBegunBy('LIST_REQUESTED')} is not null then (
    select request.id from list_requests request
    where request.contact_id = contact.id and request.list_id::text = ${listBegunBy('LIST_REQUESTED')}
      and request.email_key = contact.email_key
  ) end`

/** Of the same: why she is not sent it, where that is because she is not asked any more. */
export const NOT_ASKED = `case when ${listBegunBy('LIST_REQUESTED')} is not null and ${REQUEST_OF_ENROLLMENT} is null then 'NOT_PENDING' end`

/** Of a row `contact`, and of what an email says: what it says in her language, or in its own. */
export const IN_HER_LANGUAGE = `coalesce(
    base.translations ->> lower(replace(contact.metadata ->> 'locale', '_', '-')),
    base.translations ->> lower(split_part(replace(contact.metadata ->> 'locale', '_', '-'), '-', 1)),
    base.hash
  )`

/** Exported for the benchmark that leaves something out of it. */
export const DRAFT = `
select enrollment.workspace_id, automation.status as automation_status, automation.on_send_failure, workspace.mode,
  contact.id as contact_id, contact.consents, contact.email, contact.first_name, contact.metadata, enrollment.event,
  step.category, coalesce(${suppressedBy('step.category', LIST_OF_ENROLLMENT)}, ${NOT_ASKED}) as suppressed_by,
  ${REQUEST_OF_ENROLLMENT} as list_request_id, ${senderOf('workspace.id')} as sender,
  content.subject, content.html, content.text,
  message.status as message_status, message.settled_at, coalesce(message.attempts, 0) as attempts, enrollment.holds,
  installation.mail, installation.restored_at is not null as is_restored,
  installation.lost_until
from enrollments enrollment
join automations automation on automation.id = enrollment.automation_id and automation.deleted_at is null
join contacts contact on contact.id = enrollment.contact_id
join workspaces workspace on workspace.id = enrollment.workspace_id
join automation_versions version
  on version.automation_id = enrollment.automation_id and version.version = enrollment.version
left join lateral (
  select step ->> 'content' as hash, step ->> 'category' as category from jsonb_array_elements(version.steps) step where step ->> 'id' = $2::uuid::text
) step on true
left join email_contents base on base.automation_id = enrollment.automation_id and base.hash = step.hash
left join email_contents content on content.automation_id = enrollment.automation_id and content.hash = ${IN_HER_LANGUAGE}
left join messages message
  on message.enrollment_id = enrollment.id and message.step_id = $2::uuid and message.visit = $3::integer
left join installation on true
where enrollment.id = $1::uuid and enrollment.automation_id = $4::uuid and enrollment.status = 'ACTIVE'`

/**
 * When a step's email was due, by what the ledger can prove: the waits behind the email before it, when that was settled; or behind
 * what the sequence was begun by. A workflow's own clock says less: a task of its that runs anew behind a restore is of today.
 *
 * @returns also since when it waits for that
 */
export async function dueByLedger(
  em: EntityManager,
  { enrollmentId, stepId }: MessageKey,
): Promise<{ since: Date; due: Date }> {
  const [row] = await sql<{ since: string; due: string }>(em, DUE, [enrollmentId, stepId])
  return row ? { since: toDate(row.since), due: toDate(row.due) } : { since: new Date(0), due: new Date(0) }
}

const DUE = `
with step as (
  select enrollment.id as enrollment_id, enrollment.enrolled_at, enrollment.cause, content, place
  from enrollments enrollment
  join automation_versions version
    on version.automation_id = enrollment.automation_id and version.version = enrollment.version
  cross join lateral jsonb_array_elements(version.steps) with ordinality as each_step(content, place)
  where enrollment.id = $1::uuid
),
this as (select * from step where content ->> 'id' = $2::uuid::text),
before as (
  select step.place, message.settled_at
  from step join messages message
    on message.enrollment_id = step.enrollment_id and message.step_id::text = step.content ->> 'id'
  where step.place < (select place from this) and message.settled_at is not null
  order by step.place desc limit 1
)
select since, since + make_interval(secs => coalesce((
    select sum((content ->> 'delayMinutes')::float8) * 60 from step
    where place < this.place and place > coalesce((select place from before), 0) and content ->> 'type' = 'WAIT'
  ), 0)) as due
from this cross join lateral (
  select coalesce(
    (select settled_at from before),
    least(this.enrolled_at, (
      select created_at from trigger_events where this.cause = '${eventCause('')}' || id and id = case
        when this.cause like '${eventCause('%')}' then substr(this.cause, ${eventCause('').length + 1})::uuid
      end
    ))
  ) as since
) begun`

/** What is said of a message whose claim outlived its owner. */
export const SENDER_DIED = 'The sender stopped between handing over the message and the answer'

/** Settles a claim whose lease is over. @returns what the message is then, and its id where that is our doing. */
async function settleDead(
  em: EntityManager,
  key: MessageKey,
): Promise<{ status: MessageStatus; died: string | undefined }> {
  const { enrollmentId, stepId, visit } = key
  const [settled] = await sql<{ id: string }>(em, SETTLE_DEAD, [enrollmentId, stepId, visit])
  const row = await unitOf(em).findOne(Message, { enrollmentId, stepId, visit }, { ...AS_IT_IS, fields: ['status'] })
  return { status: row?.status ?? 'UNCONFIRMED', died: settled?.id }
}

const SETTLE_DEAD = `
update messages
set status = 'UNCONFIRMED', error = '${SENDER_DIED}', retry_at = null, settled_at = coalesce(settled_at, now())
where enrollment_id = $1::uuid and step_id = $2::uuid and visit = $3::integer
  and status = 'SENDING' and lease_until <= clock_timestamp()
returning id`

/** How long after its lease a claim counts as abandoned, in seconds: mostly an attempt of its sequence has looked before. */
const ABANDONED_SECONDS = 60

/**
 * Settles claims whose owners died and that no attempt looks at: their enrollment was ended, or somebody has had them tried
 * again. @returns their ids.
 */
export async function settleAbandoned(em: EntityManager, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }>(em, SETTLE_ABANDONED, [limit, ABANDONED_SECONDS])
  return rows.map(({ id }) => id)
}

const ABANDONED = `status = 'UNCONFIRMED', error = '${SENDER_DIED}', lease_until = null, retry_at = null,
  settled_at = coalesce(settled_at, now())`

const SETTLE_ABANDONED = `
update messages set ${ABANDONED}
where id in (
  select id from messages
  where status = 'SENDING' and lease_until < clock_timestamp() - make_interval(secs => $2::float8)
  limit $1 for update skip locked
) and status = 'SENDING'
returning id`

/** The same of a campaign, whose end waits for them, as soon as their leases are over. @returns their ids */
export async function settleAbandonedOf(em: EntityManager, campaignId: string): Promise<string[]> {
  const rows = await sql<{ id: string }>(em, SETTLE_ABANDONED_OF, [campaignId])
  return rows.map(({ id }) => id)
}

const SETTLE_ABANDONED_OF = `
update messages set ${ABANDONED}
where campaign_id = $1::uuid and status = 'SENDING' and lease_until <= clock_timestamp()
returning id`

/**
 * Marks an enrollment as held if its automation does not send, under the share lock that a PATCH waits for: it is among
 * those that the PATCH wakes, or it has seen what the PATCH wrote. The mark stays until an attempt that looked later claims:
 * one that Temporal has given up may still be at it, and its workflow would not be told to go on. @returns whether it is held.
 */
export async function holdEnrollment(em: EntityManager, enrollmentId: string, automationId: string): Promise<boolean> {
  const rows = await preparedSql<{ held: boolean }>(em, 'hold-enrollment', HOLD, [enrollmentId, automationId])
  return rows[0]?.held ?? false
}

const HOLD = `
with automation as (
  select status from automations where id = $2::uuid and deleted_at is null for share
)
update enrollments set held = true, holds = holds + 1
from automation
where enrollments.id = $1::uuid and enrollments.status = 'ACTIVE' and automation.status in ${HOLDING_STATUSES}
returning held`
