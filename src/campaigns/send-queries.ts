import type { SuppressedBy } from '../contacts/index.ts'
import { LEASE_SECONDS, MAY_SEND, SUPPRESSED_FOR_CAMPAIGN } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql } from '../platform/db/sql.ts'

/** A message of a campaign that is to be sent, without a lock: its claim asks again. */
export interface QueuedMessage {
  id: string
  attempts: number
  contactId: string
  email: string
  firstName: string | null
  metadata: Record<string, unknown>
  consents: number
  suppressedBy: SuppressedBy | null
  /** In which of the campaign's languages: `''` for its own. */
  locale: string
  /** In which of its variants: 0 for its own. */
  variant: number
}

/** Some of those that are due, the first first. */
export async function dueMessages(em: EntityManager, campaignId: string, limit: number): Promise<QueuedMessage[]> {
  const rows = await preparedSql<{
    id: string
    attempts: number
    contact_id: string
    email: string
    first_name: string | null
    metadata: Record<string, unknown>
    consents: number
    suppressed_by: SuppressedBy | null
    locale: string
    variant: number
  }>(em, 'due-messages', DUE, [campaignId, limit])
  return rows.map((row) => ({
    id: row.id,
    attempts: row.attempts,
    contactId: row.contact_id,
    email: row.email,
    firstName: row.first_name,
    metadata: row.metadata,
    consents: row.consents,
    suppressedBy: row.suppressed_by,
    locale: row.locale,
    variant: row.variant,
  }))
}

const DUE = `
with due as materialized (
  select id, attempts, contact_id, due_at, variant from messages
  where campaign_id = $1::uuid and status in ('QUEUED', 'DEFERRED') and due_at <= now()
  order by due_at, id limit $2
)
select due.id, due.attempts, due.contact_id, contact.email, contact.first_name, contact.metadata, contact.consents,
  ${SUPPRESSED_FOR_CAMPAIGN} as suppressed_by,
  lower(replace(coalesce(contact.metadata ->> 'locale', ''), '_', '-')) as locale,
  coalesce(due.variant, 0) as variant
from due
join contacts contact on contact.id = due.contact_id
cross join (select category, audience, required_lists, started_at from campaigns where id = $1::uuid) campaign
order by due.due_at, due.id`

export interface ManyClaim {
  id: string
  claim: string
  contactId: string
  attempts: number
  recipient: string
  consents: number
  header: string
}

/**
 * Claims messages of a campaign to be handed over, in one statement, under the locks that a claim of a sequence takes: a pause, a
 * cancellation, an unsubscribing or an erasure waits for it, or its message is not claimed.
 *
 * @returns the ids of those that are the callers' now
 */
export async function claimMany(
  em: EntityManager,
  campaignId: string,
  claims: readonly ManyClaim[],
): Promise<ReadonlySet<string>> {
  const rows = await preparedSql<{ id: string }>(em, 'claim-many', CLAIM, [
    campaignId,
    claims.map(({ id }) => id),
    claims.map(({ claim }) => claim),
    claims.map(({ attempts }) => attempts),
    claims.map(({ recipient }) => recipient),
    claims.map(({ consents }) => consents),
    claims.map(({ header }) => header),
    claims.map(({ contactId }) => contactId),
    LEASE_SECONDS,
  ])
  return new Set(rows.map(({ id }) => id))
}

const ASKED = `
asked as (
  select * from unnest($2::uuid[], $3::uuid[], $4::integer[], $5::text[], $6::integer[], $7::text[])
    as asked(id, claim, attempts, recipient, consents, header)
),
campaign as (
  select id from campaigns where id = $1::uuid and status = 'SENDING' and ${MAY_SEND} for share
),
contact as (
  select id, email, consents from contacts where id = any($8::uuid[]) order by email_key collate "C" for share
)`

/** A message is found by its id: by the indexes of a campaign's messages it would be looked for in all of its queue. */
const IN_CAMPAIGN = '(message.campaign_id = campaign.id) is true'

const CLAIM = `
with ${ASKED}
update messages message
set status = 'SENDING', claim = asked.claim, attempts = asked.attempts + 1, claimed_at = now(), error = null,
  message_id = asked.header, recipient = null, lease_until = clock_timestamp() + make_interval(secs => $9::float8)
from asked, campaign, contact
where message.id = asked.id and ${IN_CAMPAIGN} and contact.id = message.contact_id
  and contact.email = asked.recipient and contact.consents = asked.consents
  and message.attempts = asked.attempts and message.status in ('QUEUED', 'DEFERRED')
returning message.id`

export interface ManySettled extends ManyClaim {
  status: string
  error: string | null
  subject: string | null
}

/** Settles messages of a campaign for which nothing is handed over, in the same way. @returns the ids of those that are */
export async function settleMany(
  em: EntityManager,
  campaignId: string,
  settled: readonly ManySettled[],
): Promise<ReadonlySet<string>> {
  const rows = await preparedSql<{ id: string }>(em, 'settle-many', SETTLE, [
    campaignId,
    settled.map(({ id }) => id),
    settled.map(({ claim }) => claim),
    settled.map(({ attempts }) => attempts),
    settled.map(({ recipient }) => recipient),
    settled.map(({ consents }) => consents),
    settled.map(({ header }) => header),
    settled.map(({ contactId }) => contactId),
    settled.map(({ status }) => status),
    settled.map(({ error }) => error),
    settled.map(({ subject }) => subject),
  ])
  return new Set(rows.map(({ id }) => id))
}

const SETTLE = `
with ${ASKED},
as_what as (select * from unnest($2::uuid[], $9::text[], $10::text[], $11::text[]) as as_what(id, status, error, subject))
update messages message
set status = as_what.status, claim = asked.claim, attempts = asked.attempts + 1, error = as_what.error,
  recipient = asked.recipient, subject = as_what.subject, message_id = asked.header, settled_at = now(),
  sent_at = case when as_what.status = 'CAPTURED' then now() end
from asked join as_what using (id), campaign, contact
where message.id = asked.id and ${IN_CAMPAIGN} and contact.id = message.contact_id
  and contact.email = asked.recipient and contact.consents = asked.consents
  and message.attempts = asked.attempts and message.status in ('QUEUED', 'DEFERRED')
returning message.id`

export interface ManyOutcome {
  id: string
  claim: string
  contactId: string
  status: string
  response: string | null
  error: string | null
  recipient: string
  subject: string
  /** After how many seconds one that was certainly not sent is tried again. */
  againSeconds: number
}

/**
 * Records how attempts ended that had handed over, each by whoever holds the claim; see `recordOutcome`. What a campaign says is
 * with the campaign, and not once more with each message.
 */
export async function recordMany(em: EntityManager, outcomes: readonly ManyOutcome[]): Promise<void> {
  await preparedSql(em, 'record-many', RECORD, [
    outcomes.map(({ id }) => id),
    outcomes.map(({ claim }) => claim),
    outcomes.map(({ status }) => status),
    outcomes.map(({ response }) => response),
    outcomes.map(({ error }) => error),
    outcomes.map(({ recipient }) => recipient),
    outcomes.map(({ subject }) => subject),
    outcomes.map(({ againSeconds }) => againSeconds),
    outcomes.map(({ contactId }) => contactId),
  ])
}

const RECORD = `
update messages message set
  status = case when message.status = 'UNCONFIRMED' and given.status = 'DEFERRED' then 'UNCONFIRMED' else given.status end,
  lease_until = null,
  response = case when kept.id is not null then given.response end,
  error = case when kept.id is not null then given.error end,
  recipient = case when kept.id is not null then given.recipient end,
  subject = case when kept.id is not null then given.subject end,
  sent_at = case when given.status = 'SENT' then now() end,
  settled_at = coalesce(message.settled_at, case when given.status <> 'DEFERRED' then now() end),
  due_at = now() + make_interval(secs => given.again::float8)
from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::float8[], $9::uuid[])
  as given(id, claim, status, response, error, recipient, subject, again, contact_id)
-- Of somebody who was erased meanwhile nothing personal is kept.
left join contacts kept on kept.id = given.contact_id
-- By its id alone: the index of what is open has an entry of each of a campaign's messages until it is vacuumed.
where message.id = given.id and message.claim = given.claim and (message.status in ('SENDING', 'UNCONFIRMED')) is true`

/**
 * Notes that a message was certainly not sent, and when it is tried again. A claim that may be on its way fails behind this: the
 * number of attempts moves on.
 */
export async function putOffMany(
  em: EntityManager,
  put: { id: string; claim: string; attempts: number; error: string; againSeconds: number },
): Promise<void> {
  await sql(
    em,
    `update messages set status = 'DEFERRED', attempts = $3::integer + 1, lease_until = null,
       error = case when exists (select from contacts where contacts.id = contact_id) then $4::text end,
       due_at = now() + make_interval(secs => $5::float8)
     where id = $1::uuid and (
       (status in ('QUEUED', 'DEFERRED') and attempts = $3::integer) or (status = 'SENDING' and claim = $2::uuid)
     )`,
    [put.id, put.claim, put.attempts, put.error, put.againSeconds],
  )
}
