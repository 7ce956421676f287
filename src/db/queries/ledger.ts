import type { AutomationStatus, SendFailurePolicy } from '../../domain/automation.ts'
import type { WorkspaceMode } from '../../domain/api-key.ts'
import type { MessageKey, MessageStatus } from '../../domain/messages.ts'
import type { EmailStep } from '../../domain/steps.ts'
import type { EntityManager } from '../orm.ts'
import { preparedSql, sql } from '../sql.ts'

/** What an attempt to send finds. */
export type Claim =
  | { kind: 'claimed'; message: ClaimedMessage }
  /** The automation does not send now: the enrollment is marked as held, and is woken when it does again. */
  | { kind: 'held' }
  /** The enrollment, the automation or the contact is gone. */
  | { kind: 'gone' }
  /** There is a message already, and it is not for this attempt to send. */
  | { kind: 'existing'; status: MessageStatus; onSendFailure: SendFailurePolicy }

export interface ClaimedMessage {
  id: string
  claim: string
  workspaceMode: WorkspaceMode
  onSendFailure: SendFailurePolicy
  step: EmailStep
  contact: { email: string; firstName: string | null; metadata: Record<string, unknown> }
}

/**
 * Claims a message: inserts it as SENDING, in one statement, only if the enrollment and its automation still exist
 * and the automation may send. The share lock on the automation makes a DELETE or a PATCH that runs at the same
 * time wait for this statement, and this statement for it: afterwards either the claim is there for it to see, or
 * the claim has failed.
 *
 * @param claim names the attempt. A repeated call with the same one finds its own claim, so that an answer lost on
 *   the way from the database can be asked for again.
 */
export async function claimMessage(
  em: EntityManager,
  key: MessageKey,
  automationId: string,
  ids: { messageId: string; claim: string },
): Promise<Claim> {
  const [row] = await preparedSql<ClaimRow>(em, 'claim-message', CLAIM, [
    key.enrollmentId,
    key.stepId,
    key.visit,
    automationId,
    ids.messageId,
    ids.claim,
  ])
  if (!row) return { kind: 'gone' }
  if (row.claimed_id) {
    return {
      kind: 'claimed',
      message: {
        id: row.claimed_id,
        claim: ids.claim,
        workspaceMode: row.mode,
        onSendFailure: row.on_send_failure,
        step: row.step,
        contact: { email: row.email, firstName: row.first_name, metadata: row.metadata },
      },
    }
  }
  if (row.automation_status === 'PAUSED' || row.automation_status === 'DRAFT') return { kind: 'held' }
  const [existing] = await sql<{ status: MessageStatus }>(em, SETTLE_EARLIER, [
    key.enrollmentId,
    key.stepId,
    key.visit,
    ids.claim,
  ])
  return existing ? { kind: 'existing', status: existing.status, onSendFailure: row.on_send_failure } : { kind: 'gone' }
}

interface ClaimRow {
  claimed_id: string | null
  automation_status: AutomationStatus
  on_send_failure: SendFailurePolicy
  mode: WorkspaceMode
  email: string
  first_name: string | null
  metadata: Record<string, unknown>
  step: EmailStep
}

const CLAIM = `
with automation as (
  select id, status, on_send_failure from automations
  where id = $4::uuid and deleted_at is null
  for share
),
enrollment as (
  select enrollment.*, automation.status as automation_status, automation.on_send_failure
  from automation join enrollments enrollment on enrollment.automation_id = automation.id
  where enrollment.id = $1::uuid and enrollment.status = 'ACTIVE'
),
holding as (
  update enrollments set held = not enrollments.held
  from enrollment
  where enrollments.id = enrollment.id
    and enrollments.held <> (enrollment.automation_status in ('PAUSED', 'DRAFT'))
),
claimed as (
  insert into messages as message
    (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, visit, status, claim)
  select $5::uuid, workspace_id, contact_id, automation_id, id, $2::uuid, $3::integer, 'SENDING', $6::uuid
  from enrollment
  where automation_status in ('ACTIVE', 'ARCHIVED')
  on conflict (enrollment_id, step_id, visit) do update
    set status = 'SENDING', claim = excluded.claim, attempts = message.attempts + 1, claimed_at = now(), error = null
    where message.status = 'DEFERRED' or (message.status = 'SENDING' and message.claim = excluded.claim)
  returning id
)
select
  (select id from claimed) as claimed_id,
  enrollment.automation_status, enrollment.on_send_failure,
  workspace.mode, contact.email, contact.first_name, contact.metadata,
  (select step from jsonb_array_elements(version.steps) step where step ->> 'id' = $2::uuid::text) as step
from enrollment
join contacts contact on contact.id = enrollment.contact_id
join workspaces workspace on workspace.id = enrollment.workspace_id
join automation_versions version
  on version.automation_id = enrollment.automation_id and version.version = enrollment.version`

/** A message that an earlier attempt left as SENDING: nobody knows whether the server has it. */
const SETTLE_EARLIER = `
with settled as (
  update messages
  set status = 'UNCONFIRMED', error = 'The sender stopped between handing over the message and the answer'
  where enrollment_id = $1::uuid and step_id = $2::uuid and visit = $3::integer
    and status = 'SENDING' and claim <> $4::uuid
  returning status
)
select status from settled
union all
select status from messages
where enrollment_id = $1::uuid and step_id = $2::uuid and visit = $3::integer and not exists (select from settled)`

/** How an attempt ended. */
export type Outcome =
  | { status: 'SENT' | 'CAPTURED'; response: string | null }
  | { status: 'DEFERRED' | 'FAILED' | 'UNCONFIRMED'; error: string }

export interface Content {
  messageId: string
  recipient: string
  subject: string
  html: string | null
  text: string | null
}

/**
 * Records how an attempt ended. Only the attempt that holds the claim can: if a later one has taken it for lost and
 * made it UNCONFIRMED, the true outcome still replaces that, except "not sent", because the sequence has gone on.
 */
export async function recordOutcome(
  em: EntityManager,
  message: { id: string; claim: string },
  outcome: Outcome,
  content: Content | undefined,
): Promise<void> {
  await preparedSql(em, 'record-outcome', OUTCOME, [
    message.id,
    message.claim,
    outcome.status,
    'response' in outcome ? outcome.response : null,
    'error' in outcome ? outcome.error : null,
    content?.messageId ?? null,
    content?.recipient ?? null,
    content?.subject ?? null,
    content?.html ?? null,
    content?.text ?? null,
  ])
}

const OUTCOME = `
update messages set
  status = $3, response = $4, error = $5,
  message_id = $6, recipient = $7, subject = $8, html = $9, text = $10,
  sent_at = case when $3 in ('SENT', 'CAPTURED') then now() end
where id = $1::uuid and claim = $2::uuid
  and (status = 'SENDING' or (status = 'UNCONFIRMED' and $3 <> 'DEFERRED'))`

/** How many messages a contact has. @returns `undefined` when the workspace has no such contact. */
export async function countMessages(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
): Promise<number | undefined> {
  const [row] = await sql<{ total: number }>(
    em,
    `select (select count(*) from messages message where message.contact_id = contact.id)::float8 as total
     from contacts contact where contact.id = $2::uuid and contact.workspace_id = $1::uuid`,
    [workspaceId, contactId],
  )
  return row?.total
}
