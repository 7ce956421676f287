import type { AutomationStatus, SendFailurePolicy } from '../sequences/policies.ts'
import type { WorkspaceMode } from '../workspaces/api-key.ts'
import type { MessageKey, MessageStatus } from './message.ts'
import type { EmailContent } from '../sequences/steps.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toDate } from '../platform/db/sql.ts'

/** How long a claim is its owner's, in seconds, unless it is renewed: then nobody may be handing it over any more. */
export const LEASE_SECONDS = 30

/** Why a step's email is not to be sent now. */
export type NotNow =
  /** The automation does not send now. */
  | { kind: 'held' }
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
  contact: { email: string; firstName: string | null; metadata: Record<string, unknown> }
  /** How this installation sends mail, if anybody has said. */
  mail: 'smtp' | 'capture' | null
}

/**
 * Looks at a step's email, without a lock: what may have changed by the time it is handed over is asked again by the claim.
 * A claim whose owner is dead, because its lease is over, is settled as UNCONFIRMED here: nobody knows whether the server
 * has the message.
 */
export async function draftMessage(em: EntityManager, key: MessageKey, automationId: string): Promise<Draft | NotNow> {
  const [row] = await preparedSql<DraftRow>(em, 'draft-message', DRAFT, [
    key.enrollmentId,
    key.stepId,
    key.visit,
    automationId,
  ])
  if (!row) return { kind: 'gone' }
  if (row.message_status !== null && row.message_status !== 'DEFERRED') {
    const settled =
      row.message_status === 'SENDING' ? await settleDead(em, key) : { status: row.message_status, died: undefined }
    // Its owner may live; or it did, and has told just now that it was not sent.
    if (settled.status === 'DEFERRED' || settled.status === 'SENDING') return { kind: 'busy' }
    const settledAt = row.settled_at === null ? new Date() : toDate(row.settled_at)
    return { kind: 'existing', ...settled, settledAt, onSendFailure: row.on_send_failure }
  }
  if (row.automation_status === 'PAUSED' || row.automation_status === 'DRAFT') return { kind: 'held' }
  if (row.subject === null)
    throw new Error(`The version of enrollment ${key.enrollmentId} has no email step ${key.stepId}`)
  return {
    kind: 'ready',
    attempts: row.attempts,
    holds: row.holds,
    workspaceId: row.workspace_id,
    workspaceMode: row.mode,
    onSendFailure: row.on_send_failure,
    content: { subject: row.subject, html: row.html, text: row.text },
    contact: { email: row.email, firstName: row.first_name, metadata: row.metadata },
    mail: row.mail,
  }
}

interface DraftRow {
  workspace_id: string
  automation_status: AutomationStatus
  on_send_failure: SendFailurePolicy
  mode: WorkspaceMode
  email: string
  first_name: string | null
  metadata: Record<string, unknown>
  subject: string | null
  html: string | null
  text: string | null
  message_status: MessageStatus | null
  settled_at: string | null
  attempts: number
  holds: number
  mail: 'smtp' | 'capture' | null
}

const DRAFT = `
select enrollment.workspace_id, automation.status as automation_status, automation.on_send_failure, workspace.mode,
  contact.email, contact.first_name, contact.metadata, content.subject, content.html, content.text,
  message.status as message_status, message.settled_at, coalesce(message.attempts, 0) as attempts, enrollment.holds,
  (select mail from installation) as mail
from enrollments enrollment
join automations automation on automation.id = enrollment.automation_id and automation.deleted_at is null
join contacts contact on contact.id = enrollment.contact_id
join workspaces workspace on workspace.id = enrollment.workspace_id
join automation_versions version
  on version.automation_id = enrollment.automation_id and version.version = enrollment.version
left join lateral (
  select step ->> 'content' as hash from jsonb_array_elements(version.steps) step where step ->> 'id' = $2::uuid::text
) step on true
left join email_contents content on content.automation_id = enrollment.automation_id and content.hash = step.hash
left join messages message
  on message.enrollment_id = enrollment.id and message.step_id = $2::uuid and message.visit = $3::integer
where enrollment.id = $1::uuid and enrollment.automation_id = $4::uuid and enrollment.status = 'ACTIVE'`

/** What is said of a message whose claim outlived its owner. */
export const SENDER_DIED = 'The sender stopped between handing over the message and the answer'

/** Settles a claim whose lease is over. @returns what the message is then, and its id where that is our doing. */
async function settleDead(
  em: EntityManager,
  key: MessageKey,
): Promise<{ status: MessageStatus; died: string | undefined }> {
  const parameters = [key.enrollmentId, key.stepId, key.visit]
  const [settled] = await sql<{ id: string }>(em, SETTLE_DEAD, parameters)
  const [row] = await sql<{ status: MessageStatus }>(
    em,
    `select status from messages where enrollment_id = $1::uuid and step_id = $2::uuid and visit = $3::integer`,
    parameters,
  )
  return { status: row?.status ?? 'UNCONFIRMED', died: settled?.id }
}

const SETTLE_DEAD = `
update messages
set status = 'UNCONFIRMED', error = '${SENDER_DIED}', settled_at = coalesce(settled_at, now())
where enrollment_id = $1::uuid and step_id = $2::uuid and visit = $3::integer
  and status = 'SENDING' and lease_until <= clock_timestamp()
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
where enrollments.id = $1::uuid and enrollments.status = 'ACTIVE' and automation.status in ('PAUSED', 'DRAFT')
returning held`

/** What a message is to be from its claim on: with its server, or settled at once. */
export type ClaimAs =
  | { status: 'SENDING' }
  | { status: 'CAPTURED'; content: Content }
  | { status: 'FAILED'; error: string; content?: Content }

export interface Claim {
  key: MessageKey
  automationId: string
  messageId: string
  /** Names the attempt. Asked again with the same one, a claim finds itself: its answer can be lost on the way. */
  claim: string
  /** How often the message was claimed before, as its draft said. */
  attempts: number
  /** How often the enrollment was held before, as its draft said. */
  holds: number
  as: ClaimAs
}

/**
 * Claims a message, in one statement, only if the enrollment, its automation and its contact still exist, the automation
 * may send, and no other attempt has come between, nor a hold. The share locks on automation and contact make a DELETE, a PATCH or an
 * erasure that runs at the same time wait for this statement, and this statement for it: afterwards either the claim is
 * there for it to see, or the claim has failed.
 *
 * @returns the message's id, where it is this attempt's to hand over, or was settled as wanted.
 */
export async function claimMessage(em: EntityManager, claim: Claim): Promise<string | undefined> {
  const content = 'content' in claim.as ? claim.as.content : undefined
  const [row] = await preparedSql<{ id: string }>(em, 'claim-message', CLAIM, [
    claim.key.enrollmentId,
    claim.key.stepId,
    claim.key.visit,
    claim.automationId,
    claim.messageId,
    claim.claim,
    claim.attempts,
    claim.as.status,
    LEASE_SECONDS,
    'error' in claim.as ? claim.as.error : null,
    content?.messageId ?? null,
    content?.recipient ?? null,
    content?.subject ?? null,
    content?.html ?? null,
    content?.text ?? null,
    claim.holds,
  ])
  return row?.id
}

const CLAIM = `
with automation as (
  select id, status from automations
  where id = $4::uuid and deleted_at is null and status in ('ACTIVE', 'ARCHIVED')
  for share
),
contact as (
  select id from contacts where id = (select contact_id from enrollments where id = $1::uuid) for share
),
enrollment as (
  select enrollment.* from automation
  join enrollments enrollment on enrollment.automation_id = automation.id
  join contact on contact.id = enrollment.contact_id
  where enrollment.id = $1::uuid and enrollment.status = 'ACTIVE'
    and (enrollment.holds = $16::integer or exists (select from messages where claim = $6::uuid))
),
released as (
  update enrollments set held = false from enrollment where enrollments.id = enrollment.id and enrollments.held
)
insert into messages as message
  (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, visit, status, claim, lease_until,
   error, message_id, recipient, subject, html, text, sent_at, settled_at)
select $5::uuid, workspace_id, contact_id, automation_id, id, $2::uuid, $3::integer, $8::text, $6::uuid,
  case when $8::text = 'SENDING' then clock_timestamp() + make_interval(secs => $9::float8) end,
  $10, $11, $12, $13, $14, $15, case when $8::text = 'CAPTURED' then now() end,
  case when $8::text <> 'SENDING' then now() end
from enrollment
on conflict (enrollment_id, step_id, visit) do update
  set status = excluded.status, claim = excluded.claim, attempts = $7::integer + 1, claimed_at = now(),
    lease_until = excluded.lease_until, error = excluded.error, message_id = excluded.message_id,
    recipient = excluded.recipient, subject = excluded.subject, html = excluded.html, text = excluded.text,
    sent_at = excluded.sent_at, settled_at = excluded.settled_at
  where (message.status = 'DEFERRED' and message.attempts = $7::integer)
    or (message.claim = excluded.claim and message.status = excluded.status)
returning id`

/**
 * Notes that a message was certainly not sent, and why. Where the attempt's claim may still be on its way to Postgres, this
 * comes before it: the number of attempts moves on, and the claim fails. The server's words can hold an address, so this
 * takes the share locks of a claim: an erasure or a DELETE sees what is noted here, or this finds nobody, and undoes the
 * claim without a word.
 */
export async function deferMessage(em: EntityManager, claim: Omit<Claim, 'as'>, error: string): Promise<void> {
  await preparedSql(em, 'defer-message', DEFER, [
    claim.key.enrollmentId,
    claim.key.stepId,
    claim.key.visit,
    claim.messageId,
    claim.claim,
    claim.attempts,
    error,
    claim.automationId,
  ])
}

const DEFER = `
with automation as (
  select id from automations where id = $8::uuid and deleted_at is null for share
),
contact as (
  select id from contacts where id = (select contact_id from enrollments where id = $1::uuid) for share
),
deferred as (
  insert into messages as message
    (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, visit, status, claim, error)
  select $4::uuid, enrollment.workspace_id, contact_id, automation_id, enrollment.id, $2::uuid, $3::integer, 'DEFERRED', $5::uuid, $7
  from enrollments enrollment
  join automation on automation.id = enrollment.automation_id
  join contact on contact.id = enrollment.contact_id
  where enrollment.id = $1::uuid and enrollment.status = 'ACTIVE'
  on conflict (enrollment_id, step_id, visit) do update
    set status = 'DEFERRED', claim = excluded.claim, attempts = $6::integer + 1, lease_until = null, error = excluded.error
    where (message.status = 'DEFERRED' and message.attempts = $6::integer)
      or (message.status = 'SENDING' and message.claim = excluded.claim)
  returning message.id
)
update messages set status = 'DEFERRED', attempts = attempts + 1, lease_until = null, error = null
where enrollment_id = $1::uuid and step_id = $2::uuid and visit = $3::integer
  and status = 'SENDING' and claim = $5::uuid and not exists (select from deferred)`

/** Renews the leases of claims that take long. @returns those that are still their owner's. */
export async function renewLeases(em: EntityManager, claims: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await preparedSql<{ claim: string }>(em, 'renew-leases', RENEW, [claims, LEASE_SECONDS])
  return new Set(rows.map(({ claim }) => claim))
}

const RENEW = `
update messages set lease_until = clock_timestamp() + make_interval(secs => $2::float8)
where claim = any($1::uuid[]) and status = 'SENDING' and lease_until > clock_timestamp()
returning claim`

/** How an attempt ended that had handed over. */
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
 * Records how an attempt ended. Only the attempt that holds the claim can. If its lease was over and the message made
 * UNCONFIRMED, the true outcome still replaces that; but "not sent" only tells the operator who has to decide, because the
 * sequence has gone on. Of a contact who was erased meanwhile, nothing personal is kept.
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
update messages message set
  status = case when message.status = 'UNCONFIRMED' and $3::text = 'DEFERRED' then 'UNCONFIRMED' else $3::text end,
  lease_until = null, response = kept.response, error = kept.error,
  message_id = kept.message_id, recipient = kept.recipient, subject = kept.subject, html = kept.html, text = kept.text,
  sent_at = case when $3::text in ('SENT', 'CAPTURED') then now() end,
  settled_at = coalesce(message.settled_at, case when $3::text <> 'DEFERRED' then now() end)
from (select $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::text)
  given(response, error, message_id, recipient, subject, html, text)
left join lateral (select given.*) kept
  on exists (select from contacts where id = (select contact_id from messages where id = $1::uuid))
where message.id = $1::uuid and message.claim = $2::uuid and message.status in ('SENDING', 'UNCONFIRMED')`

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

/** What messages say, in the order given, until that has so many bytes. Of the rest nothing is read: the sizes are kept apart. */
export async function messageBodies(
  em: EntityManager,
  ids: readonly string[],
  bytes: number,
): Promise<Map<string, { html: string | null; text: string | null }>> {
  const rows = await preparedSql<{ id: string; html: string | null; text: string | null }>(
    em,
    'message-bodies',
    BODIES,
    [ids, bytes],
  )
  return new Map(rows.map(({ id, ...body }) => [id, body]))
}

const BODIES = `
with sized as (
  select message.id, sum(coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0)) over (
    order by place rows between unbounded preceding and 1 preceding
  ) as before
  from unnest($1::uuid[]) with ordinality as wanted(id, place)
  join messages message on message.id = wanted.id
)
select message.id, message.html, message.text
from sized join messages message on message.id = sized.id
where coalesce(sized.before, 0) < $2::integer`

/** How many emails of an automation may be in the middle of their hand-over at this moment. */
export const countSendingOf = (em: EntityManager, automationId: string): Promise<number> =>
  countLive(em, 'automation_id', automationId)

/** How many emails to a contact may be in the middle of their hand-over at this moment. */
export const countSendingTo = (em: EntityManager, contactId: string): Promise<number> =>
  countLive(em, 'contact_id', contactId)

async function countLive(em: EntityManager, column: 'automation_id' | 'contact_id', id: string): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::integer as count from messages
     where ${column} = $1::uuid and status = 'SENDING' and lease_until > clock_timestamp()`,
    [id],
  )
  return row?.count ?? 0
}
