/**
 * Claims, outcomes and deferrals of messages.
 *
 * The statements compare what the caller read (status, number of attempts) with the row, so that one of two concurrent attempts
 * fails. The caller checks in the same transaction whether the message may be sent at all: see `store.ts`.
 */
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql } from '../platform/db/sql.ts'
import { CHANGED, type MessageChange } from './changes-queries.ts'
import type { MessageStatus } from './message.ts'
import type { Intent } from './transitions.ts'
import { asJson, LEASE_SECONDS, write } from './write-queries.ts'

/** The content that the row stores. A campaign's content is stored with the campaign. */
export interface ContentColumns {
  message_id: string | null
  recipient: string | null
  subject: string | null
  html: string | null
  text: string | null
}

/** The columns that identify a message and the attempt at it. */
export interface AttemptColumns {
  id: string
  /** Identifies the attempt. */
  claim: string
  /** Number of earlier attempts. */
  attempts: number
  /** The status that the attempt read; `null` if the message has no row yet. */
  before: MessageStatus | null
  intent: Intent
  status: MessageStatus
  error: string | null
}

/** Additional columns of a new row for an enrollment's step. */
export interface StepColumns {
  workspace_id: string
  contact_id: string
  automation_id: string | null
  enrollment_id: string | null
  step_id: string | null
}

const IDENTITY = `
  id uuid, claim uuid, attempts integer, before text, intent text, status text, error text,
  workspace_id uuid, contact_id uuid, automation_id uuid, enrollment_id uuid, step_id uuid,
  message_id text, recipient text, subject text, html text, text text`

export type ClaimRow = AttemptColumns & StepColumns & ContentColumns & { known_final_at: string | null }

/** A claim that succeeded. */
export type WrittenClaim = MessageChange & { claim: string }

/**
 * Claims messages for sending, or finalizes them immediately. The caller counts the changes and records the facts.
 *
 * Race: two attempts at one message. Guard: `before` and `attempts` must still be what the attempt read, and a new row conflicts
 * with one that another attempt inserted. Two attempts can share this statement, so it returns claims. Tests:
 * test/messages/claims.test.ts, test/messages/concurrent-stops.test.ts.
 *
 * @returns the claims that succeeded; at most one for each message
 */
export const writeClaims = (em: EntityManager, claims: readonly ClaimRow[]): Promise<WrittenClaim[]> =>
  preparedSql<WrittenClaim>(em, 'claim-messages', CLAIM, [asJson(claims), LEASE_SECONDS, claims.map(({ id }) => id)])

const CLAIM = `
with given as (
  select *,
    case when status = 'SENDING' then clock_timestamp() + make_interval(secs => $2::float8) end as lease_until,
    case when status = 'CAPTURED' then now() end as sent_at,
    case when status <> 'SENDING' then coalesce(known_final_at, now()) end as final_at
  from jsonb_to_recordset($1::jsonb) as given(${IDENTITY}, known_final_at timestamptz)
),
inserted as (
  insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, status, claim,
    lease_until, error, message_id, recipient, subject, html, text, sent_at, final_at)
  select id, workspace_id, contact_id, automation_id, enrollment_id, step_id, status, claim,
    lease_until, error, message_id, recipient, subject, html, text, sent_at, final_at
  from given where before is null
  on conflict do nothing
  returning claim, ${CHANGED}
),
updated as (
  update messages message set
    status = given.status, claim = given.claim, attempts = given.attempts + 1, claimed_at = now(),
    lease_until = given.lease_until, error = given.error, message_id = given.message_id, retry_at = null,
    sent_at = case when given.status = 'SENDING' then message.sent_at else given.sent_at end,
    final_at = coalesce(message.final_at, given.final_at),
    -- A retry keeps the earlier recipient and content until there are new ones: bounces are attributed by them.
    recipient = case when is_first then given.recipient else coalesce(given.recipient, message.recipient) end,
    subject = case when is_first then given.subject else coalesce(given.subject, message.subject) end,
    html = case when is_first then given.html else coalesce(given.html, message.html) end,
    text = case when is_first then given.text else coalesce(given.text, message.text) end
  from given cross join lateral (select given.intent = 'send') intent(is_first)
  where message.id = any($3::uuid[]) and message.id = given.id
    and message.attempts = given.attempts and message.status = given.before
    and (given.intent <> 'retry' or message.retry_at is not null)
  returning message.claim, ${CHANGED}
)
select * from inserted union all select * from updated`

export interface OutcomeRow extends ContentColumns {
  id: string
  claim: string
  status: MessageStatus
  response: string | null
  error: string | null
}

/**
 * Records the outcomes of claimed attempts. Only the attempt that holds the claim can do so. If its lease had expired and the
 * message became UNCONFIRMED, the true outcome still replaces that status. The caller counts the changes.
 */
export const writeOutcomes = (em: EntityManager, outcomes: readonly OutcomeRow[]): Promise<MessageChange[]> =>
  preparedSql(em, 'record-outcomes', OUTCOME, [asJson(outcomes), outcomes.map(({ id }) => id)])

const OUTCOME = `
update messages message set
  status = given.status, lease_until = null, response = given.response, error = given.error,
  message_id = case when has_content then given.message_id else message.message_id end,
  recipient = case when has_content then given.recipient else message.recipient end,
  subject = case when has_content then given.subject else message.subject end,
  html = case when has_content then given.html else message.html end,
  text = case when has_content then given.text else message.text end,
  sent_at = case when given.status in ('SENT', 'CAPTURED') then now() end,
  final_at = coalesce(message.final_at, now()),
  retry_at = case when given.status not in ('SENT', 'CAPTURED') then message.retry_at end
from jsonb_to_recordset($1::jsonb) as given(id uuid, claim uuid, status text, response text, error text,
  message_id text, recipient text, subject text, html text, text text)
cross join lateral (select given.message_id is not null) content(has_content)
-- By ID only: an index on the status has a dead entry for each message of a campaign until it is vacuumed.
where message.id = any($2::uuid[]) and message.id = given.id and message.claim = given.claim
  and (message.status in ('SENDING', 'UNCONFIRMED')) is true
returning ${CHANGED}`

export type DeferralRow = AttemptColumns &
  StepColumns &
  ContentColumns & {
    /** When a retry was requested, if one is pending. */
    retry_at: string | null
    /** When the enrollment was ended by request, as the attempt read it. A new value ends the retry. */
    abandoned_at: string | null
    /** Seconds until a campaign tries it again. */
    due_in: number | null
  }

/**
 * Records that messages were certainly not sent.
 *
 * Race: the response to a claim was lost, and the claim may still be on its way to Postgres. Guard: the number of attempts
 * increases, and a missing row is inserted, so that the claim fails when it arrives. Test: test/messages/claims.test.ts.
 */
export async function writeDeferrals(em: EntityManager, deferrals: readonly DeferralRow[]): Promise<void> {
  await write(em, DEFER, [asJson(deferrals), deferrals.map(({ id }) => id)], 'defer-messages')
}

const DEFER = `
with given as (
  select *, message_id is not null as has_content, case when status <> 'DEFERRED' then now() end as final_at
  from jsonb_to_recordset($1::jsonb) as given(${IDENTITY}, retry_at timestamptz, abandoned_at timestamptz, due_in float8)
),
inserted as (
  insert into messages
    (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, status, claim, error, final_at)
  select id, workspace_id, contact_id, automation_id, enrollment_id, step_id, status, claim, error, final_at
  from given where before is null
  on conflict do nothing
  returning ${CHANGED}
),
updated as (
  update messages message set
    -- Stays UNCONFIRMED if a process found the lease expired, because the enrollment has continued.
    status = case when message.status = 'UNCONFIRMED' and message.claim = given.claim then 'UNCONFIRMED' else given.status end,
    attempts = given.attempts + 1, lease_until = null, error = given.error,
    message_id = case when given.status = 'DISMISSED' then null when has_content then given.message_id else message.message_id end,
    recipient = case when has_content then given.recipient else message.recipient end,
    subject = case when has_content then given.subject else message.subject end,
    html = case when has_content then given.html else message.html end,
    text = case when has_content then given.text else message.text end,
    final_at = coalesce(message.final_at, given.final_at),
    due_at = coalesce(now() + make_interval(secs => given.due_in), message.due_at),
    retry_at = coalesce(message.retry_at, case
      when message.status = 'SENDING' and message.abandoned_at is not distinct from given.abandoned_at then given.retry_at end)
  from given
  where message.id = any($2::uuid[]) and message.id = given.id and (
    (message.claim = given.claim and message.status in ('SENDING', 'UNCONFIRMED'))
    or (message.attempts = given.attempts and message.status = given.before
      and (given.intent <> 'retry' or message.retry_at is not null))
  )
  returning ${CHANGED}
)
select * from inserted union all select * from updated`
