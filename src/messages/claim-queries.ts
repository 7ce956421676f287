import { SENDING_STATUSES } from '../sequences/index.ts'
import { listBegunBy } from '../triggers/index.ts'
import type { MessageKey } from './message.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql } from '../platform/db/sql.ts'
import type { Content } from './record-queries.ts'

/** How long a claim is its owner's, in seconds, unless it is renewed: then nobody may be handing it over any more. */
export const LEASE_SECONDS = 30

/** What a message is to be from its claim on: with its server, or settled at once. */
export type ClaimAs =
  | { status: 'SENDING' }
  | { status: 'CAPTURED'; content: Content }
  | { status: 'FAILED'; error: string; content?: Content }
  | { status: 'SUPPRESSED'; error: string }
  | { status: 'UNCONFIRMED'; error: string; settledAt: Date }

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
  /** The contact's address, as its draft said. */
  recipient: string
  /** How often it had changed what may be sent to the contact, as its draft said. */
  consents: number
  /** The Message-ID header that it has, by which the mail server's log knows it when its sender has died. */
  header: string
  as: ClaimAs
}

/**
 * Claims a message, in one statement, only if the enrollment, its automation and its contact still exist, the automation
 * may send, and no other attempt has come between, nor a hold, nor another address, nor anything that changes what may be sent
 * to the contact: that is counted on the contact's row, because under its lock nothing else is read anew. The locks on automation, contact and
 * enrollment make a DELETE, a PATCH or an erasure that runs at the same time wait for this statement, and this statement for
 * it: afterwards either the claim is there for it to see, or the claim has failed.
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
    content?.messageId ?? claim.header,
    // Of what is settled: a claim outlives an erasure for a moment.
    claim.as.status === 'SENDING' ? null : (content?.recipient ?? claim.recipient),
    content?.subject ?? null,
    content?.html ?? null,
    content?.text ?? null,
    claim.holds,
    claim.recipient,
    'settledAt' in claim.as ? claim.as.settledAt.toISOString() : null,
    claim.consents,
  ])
  return row?.id
}

/** Whoever was restored from a backup sends nothing until ledger and Temporal have been held against each other. */
export const MAY_SEND = `not exists (select from installation where restored_at is not null)`

/** Exported for the benchmark that leaves something out of it. */
export const CLAIM = `
with automation as (
  select id, status, trigger, trigger_key from automations
  where id = $4::uuid and deleted_at is null and status in ${SENDING_STATUSES}
  for share
),
contact as (
  select id, email, email_key, consents from contacts
  where id = (select contact_id from enrollments where id = $1::uuid) for share
),
enrollment as (
  select enrollment.*, ${listBegunBy('LIST_REQUESTED')}::uuid as asks_for from automation
  join enrollments enrollment on enrollment.automation_id = automation.id
  join contact on contact.id = enrollment.contact_id
  where enrollment.id = $1::uuid and enrollment.status = 'ACTIVE' and ${MAY_SEND}
    and (
      enrollment.holds = $16::integer and contact.email = $17::text and contact.consents = $19::integer
      or exists (select from messages where claim = $6::uuid)
    )
  -- Whoever ends it waits for this statement, or this for whoever has ended it, and finds it over.
  for no key update of enrollment
),
released as (
  update enrollments set held = false from enrollment where enrollments.id = enrollment.id and enrollments.held
),
claimed as (
insert into messages as message
  (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, visit, status, claim, lease_until,
   error, message_id, recipient, subject, html, text, sent_at, settled_at)
select $5::uuid, workspace_id, contact_id, automation_id, id, $2::uuid, $3::integer, $8::text, $6::uuid,
  case when $8::text = 'SENDING' then clock_timestamp() + make_interval(secs => $9::float8) end,
  $10, $11, $12, $13, $14, $15, case when $8::text = 'CAPTURED' then now() end,
  case when $8::text <> 'SENDING' then coalesce($18::timestamptz, now()) end
from enrollment
on conflict (enrollment_id, step_id, visit) do update
  set status = excluded.status, claim = excluded.claim, attempts = $7::integer + 1, claimed_at = now(),
    lease_until = excluded.lease_until, error = excluded.error, message_id = excluded.message_id,
    recipient = excluded.recipient, subject = excluded.subject, html = excluded.html, text = excluded.text,
    sent_at = excluded.sent_at, settled_at = excluded.settled_at
  where (message.status = 'DEFERRED' and message.attempts = $7::integer)
    or (message.claim = excluded.claim and message.status = excluded.status)
returning id, workspace_id
),
-- Somebody is asked by it whether she wants a list: how often that is done is counted by her address.
asked as (
  insert into list_asks (id, list_id, address_hash)
  select claimed.id, enrollment.asks_for, address_hash(claimed.workspace_id, contact.email_key)
  from claimed, enrollment, contact
  where enrollment.asks_for is not null and $8::text = 'SENDING'
  on conflict (id) do nothing
)
select id from claimed`

/**
 * Notes that a message was certainly not sent, and why. Where the attempt's claim may still be on its way to Postgres, this
 * comes before it: the number of attempts moves on, and the claim fails. The server's words can hold an address, so this
 * takes the share locks of a claim: an erasure or a DELETE sees what is noted here, or this finds nobody, and undoes the
 * claim without a word.
 */
export async function deferMessage(
  em: EntityManager,
  claim: Omit<Claim, 'as' | 'recipient' | 'consents' | 'header'>,
  error: string,
): Promise<void> {
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

/** How many emails of an automation may be in the middle of their hand-over at this moment. */
export const countSendingOf = (em: EntityManager, automationId: string): Promise<number> =>
  countLive(em, 'automation_id', [automationId])

/** How many emails to contacts may be in the middle of their hand-over at this moment. */
export const countSendingTo = (em: EntityManager, contactIds: readonly string[]): Promise<number> =>
  countLive(em, 'contact_id', contactIds)

/** How many emails to a contact of an automation's may be in the middle of their hand-over at this moment. */
export async function countSendingIn(em: EntityManager, automationId: string, contactId: string): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::integer as count from messages
     where contact_id = $2::uuid and automation_id = $1::uuid and status = 'SENDING' and lease_until > clock_timestamp()`,
    [automationId, contactId],
  )
  return row?.count ?? 0
}

/** How many emails to contacts of a workspace who are erased already may be in the middle of their hand-over at this moment. */
export async function countSendingToErased(em: EntityManager, workspaceId: string): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::integer as count from messages message
     where status = 'SENDING' and lease_until > clock_timestamp() and workspace_id = $1::uuid
       and not exists (select from contacts where id = message.contact_id)`,
    [workspaceId],
  )
  return row?.count ?? 0
}

/** How many emails of a campaign may be in the middle of their hand-over at this moment. */
export const countSendingOfCampaign = (em: EntityManager, campaignId: string): Promise<number> =>
  countLive(em, 'campaign_id', [campaignId])

async function countLive(
  em: EntityManager,
  column: 'automation_id' | 'campaign_id' | 'contact_id',
  ids: readonly string[],
): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::integer as count from messages
     where ${column} = any($1::uuid[]) and status = 'SENDING' and lease_until > clock_timestamp()`,
    [ids],
  )
  return row?.count ?? 0
}
