/**
 * All statements that write `messages`, except those that delete old ones (`old-messages-queries.ts`). No other file writes the table.
 *
 * The statements compare what the caller read (status, number of attempts) with the row, so that one of two concurrent attempts
 * fails. The caller checks in the same transaction whether the message may be sent at all: see `store.ts`.
 */
import type { EntityManager } from '../platform/db/orm.ts'
import { inTransaction, pipelined, preparedSql, sql } from '../platform/db/sql.ts'
import { withSmallerPages } from '../platform/db/smaller-pages.ts'
import { type ContactInAutomation, contactInAutomationColumns } from '../automation-engine/index.ts'
import { deleteEventsOf, recordWebhookFacts } from '../webhooks/index.ts'
import { CHANGED, countChanges, factsOf, type MessageChange } from './changes-queries.ts'
import { uncountClicksIn } from './clicks-queries.ts'
import type { MessageResult, MessageStatus } from './message.ts'
import { type Intent, RETRYABLE, type Retryable, statusesBefore } from './transitions.ts'

/** Seconds before an unrenewed claim expires. */
export const LEASE_SECONDS = 30

const listed = (statuses: readonly MessageStatus[]): string => `(${statuses.map((status) => `'${status}'`).join(', ')})`
const DISMISSIBLE = listed(['QUEUED', 'DEFERRED'])
const IS_RETRYABLE = `message.status in ${listed(RETRYABLE)}`
const IS_LIVE = `status = 'SENDING' and lease_until > clock_timestamp()`

/**
 * Passes rows as one parameter. Statements also name the IDs in a separate parameter: Postgres estimates JSON at a hundred rows,
 * and would scan a small table.
 *
 * Replaces lone surrogates, which a template's filter can leave behind: Postgres rejects them in JSON.
 */
const asJson = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value))

/**
 * Runs a statement, counts the changes that it returns, and records them for webhooks, in the entity manager's transaction or in a new one.
 * @param name of a constant statement, which is prepared
 */
const write = <Row = object>(
  em: EntityManager,
  text: string,
  parameters: readonly unknown[],
  name?: string,
): Promise<(Row & MessageChange)[]> =>
  pipelined(em, async (unit) => {
    const rows = await (name === undefined
      ? sql<Row & MessageChange>(unit, text, parameters)
      : preparedSql<Row & MessageChange>(unit, name, text, parameters))
    await recordWebhookFacts(unit, factsOf(rows))
    return () => countChanges(unit, rows).then(() => rows)
  })

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

/**
 * Makes messages of a campaign, or transactional emails, due later, which counts as no attempt. Returns emails to the queue that were
 * taken from it.
 * @param messages.dueInSeconds seconds until the message is due
 */
export async function postponeMessages(
  em: EntityManager,
  messages: readonly { id: string; dueInSeconds: number }[],
): Promise<void> {
  await preparedSql(
    em,
    'postpone-messages',
    `update messages message set due_at = now() + make_interval(secs => given.due_in), lease_until = null
     from unnest($1::uuid[], $2::float8[]) as given(id, due_in)
     where message.id = given.id and message.status in ('QUEUED', 'DEFERRED')`,
    [messages.map(({ id }) => id), messages.map(({ dueInSeconds }) => dueInSeconds)],
  )
}

/** Seconds for which a worker takes a transactional email from the queue. If the worker dies, another one takes it after that. */
const TAKEN_SECONDS = 30

const IS_QUEUED_EMAIL = `message.automation_id is null and message.campaign_id is null and message.status in ${DISMISSIBLE}`
// A lease that ends later is from before the clock was set back.
const IS_TAKEN = `(message.lease_until between clock_timestamp() and clock_timestamp() + interval '${TAKEN_SECONDS} seconds') is true`

/**
 * Takes transactional emails that are due from the queue. Workspaces take turns.
 *
 * Race: two workers choose the same emails. Guard: each locks what it takes, and skips locked rows. If an email is taken twice,
 * because the first worker is slow, only the first claim succeeds. Test: test/emails/email-queue.test.ts.
 *
 * @param held number of emails of each workspace that the worker has already
 * @param without workspaces whose emails the worker cannot send
 * @returns some of them, at most `limit`; none if none is due
 */
export const takeQueuedEmails = (
  em: EntityManager,
  limit: number,
  held: ReadonlyMap<string, number>,
  without: readonly string[] = [],
): Promise<{ id: string; workspaceId: string }[]> =>
  preparedSql(em, 'take-queued-emails', TAKE, [limit, [...held.keys()], [...held.values()], without])

const TAKE = `
with recursive workspace (id) as (
  (select workspace_id from messages message where ${IS_QUEUED_EMAIL} order by workspace_id limit 1)
  union all
  select (select workspace_id from messages message where ${IS_QUEUED_EMAIL} and workspace_id > workspace.id
    order by workspace_id limit 1)
  from workspace where workspace.id is not null
),
due as (
  select message.id from workspace
  left join unnest($2::uuid[], $3::integer[]) as held (workspace_id, count) on held.workspace_id = workspace.id
  cross join lateral (
    select id, due_at, row_number() over (order by due_at, id) as turn from messages message
    where workspace_id = workspace.id and ${IS_QUEUED_EMAIL} and due_at <= now() and not ${IS_TAKEN}
    -- Of each workspace, its share.
    order by due_at, id limit (select ceil($1::float8 / greatest(1, count(id)))::integer from workspace)
  ) message
  where workspace.id <> all($4::uuid[])
  order by coalesce(held.count, 0) + message.turn, message.due_at limit $1
),
taken as (
  select id from messages message
  where id in (select id from due) and ${IS_QUEUED_EMAIL} and due_at <= now() and not ${IS_TAKEN}
  for update skip locked
)
update messages set lease_until = clock_timestamp() + interval '${TAKEN_SECONDS} seconds'
where id in (select id from taken) returning id, workspace_id as "workspaceId"`

/** Keeps transactional emails that were taken from the queue, because a mail server can take minutes until it waits for the content. */
export async function keepQueuedEmails(em: EntityManager, ids: readonly string[]): Promise<void> {
  await preparedSql(
    em,
    'keep-queued-emails',
    `update messages message set lease_until = clock_timestamp() + interval '${TAKEN_SECONDS} seconds'
     where id = any($1::uuid[]) and ${IS_QUEUED_EMAIL}`,
    [ids],
  )
}

/** Renews leases. @returns the claims that are still held by their owner */
export async function renewLeases(em: EntityManager, claims: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await preparedSql<{ claim: string }>(
    em,
    'renew-leases',
    `update messages set lease_until = clock_timestamp() + make_interval(secs => $2::float8)
     where claim = any($1::uuid[]) and ${IS_LIVE} returning claim`,
    [claims, LEASE_SECONDS],
  )
  return new Set(rows.map(({ claim }) => claim))
}

const RELEASE = `
update messages message set status = 'QUEUED', lease_until = null, message_id = null
from ahead where message.id = ahead.message_id and message.claim = ahead.claim and message.status = 'SENDING'
returning ${CHANGED}`

/**
 * Queues messages again whose claims their owner made ahead, and has not begun. It knows that even if a crash of Postgres emptied
 * `claims_ahead`. The number of attempts stays, so that an attempt that was prepared before this claim cannot change the message.
 */
export async function releaseAhead(
  em: EntityManager,
  claims: readonly { claim: string; messageId: string }[],
): Promise<void> {
  await write(
    em,
    // The join makes Postgres delete first, in the order of docs/lock-order.md.
    `with deleted as (delete from claims_ahead where claim = any($1::uuid[]) returning claim),
     ahead as (
       select given.* from unnest($1::uuid[], $2::uuid[]) as given (claim, message_id) left join deleted using (claim)
     )
     ${RELEASE}`,
    [claims.map(({ claim }) => claim), claims.map(({ messageId }) => messageId)],
  )
}

/** Seconds after which a claim that was made ahead does not begin any more: its owner releases it after two. */
const BEGINS_WITHIN_SECONDS = 5

/**
 * Queues messages again whose claims were made ahead by a process that has died. Long before their leases expire: a crash of Postgres
 * before that would make them UNCONFIRMED.
 */
async function releaseOverdueAhead(em: EntityManager): Promise<void> {
  await write(
    em,
    // Skips locked rows: an owner that was only slow begins or releases them.
    `with overdue as (
       select ahead.claim from claims_ahead ahead
       join messages message on message.id = ahead.message_id and message.claim = ahead.claim and message.status = 'SENDING'
         and message.lease_until <= clock_timestamp() + make_interval(secs => $1::float8)
       for update of ahead skip locked
     ),
     ahead as (delete from claims_ahead where claim in (select claim from overdue) returning message_id, claim)
     ${RELEASE}`,
    [LEASE_SECONDS - BEGINS_WITHIN_SECONDS],
  )
}

/** Shortens leases that end implausibly far in the future, because Postgres's clock was set back. */
export async function shortenLeases(em: EntityManager, maxMinutes: number): Promise<void> {
  await sql(
    em,
    `update messages set lease_until = clock_timestamp() + make_interval(secs => $2::float8)
     where status = 'SENDING' and lease_until > now() + make_interval(mins => $1::integer)`,
    [maxMinutes, LEASE_SECONDS],
  )
}

const EXPIRE = `
update messages set status = 'UNCONFIRMED', error = $1, lease_until = null, retry_at = null,
  final_at = coalesce(final_at, now())`

/** Makes one message UNCONFIRMED if its lease has expired. @returns whether it did */
export async function expireLease(em: EntityManager, id: string, error: string): Promise<boolean> {
  const rows = await write(
    em,
    `${EXPIRE} where id = $2::uuid and status = 'SENDING' and lease_until <= clock_timestamp() returning ${CHANGED}`,
    [error, id],
  )
  return rows.length > 0
}

/**
 * Makes messages UNCONFIRMED whose leases have expired. First, queues those again that a dead process claimed ahead.
 * @param campaignId limits it to one campaign
 * @param graceSeconds seconds for which they must have been expired
 * @returns the IDs of the unconfirmed ones
 */
export async function expireLeases(
  em: EntityManager,
  {
    error,
    campaignId = null,
    graceSeconds,
    limit,
  }: {
    error: string
    campaignId?: string | null
    graceSeconds: number
    limit: number
  },
): Promise<string[]> {
  const isExpired = (grace: string, campaign: string) =>
    `message.status = 'SENDING' and message.lease_until <= clock_timestamp() - make_interval(secs => ${grace}::float8)
       and ${campaignId === null ? `${campaign}::uuid is null` : `message.campaign_id = ${campaign}::uuid`}`
  await releaseOverdueAhead(em)
  const rows = await write(
    em,
    `${EXPIRE} where status = 'SENDING' and id in (
         select id from messages message
         where ${isExpired('$2', '$3')} and not exists (select from claims_ahead where claim = message.claim)
         limit $4 for update skip locked
       ) returning ${CHANGED}`,
    [error, graceSeconds, campaignId, limit],
  )
  return rows.map(({ id }) => id)
}

/**
 * Makes all messages UNCONFIRMED that were in flight when a backup was made. They count as final from the time of their claim, so
 * that the steps after them are due at the same times as on the original, and are not sent twice.
 */
export async function abandonSending(em: EntityManager, error: string): Promise<void> {
  await write(
    em,
    `update messages set status = 'UNCONFIRMED', lease_until = null, error = $1, final_at = coalesce(final_at, claimed_at)
       where status = 'SENDING' returning ${CHANGED}`,
    [error],
  )
}

/** Counts the messages of one kind that are in flight, that is, whose lease has not expired. */
export async function countSending(
  em: EntityManager,
  where: { automationId?: string; campaignId?: string; contactIds?: readonly string[] },
): Promise<number> {
  const parameters: unknown[] = []
  const conditions = [
    where.automationId && `automation_id = $${parameters.push(where.automationId)}::uuid`,
    where.campaignId && `campaign_id = $${parameters.push(where.campaignId)}::uuid`,
    where.contactIds && `contact_id = any($${parameters.push(where.contactIds)}::uuid[])`,
  ].filter((condition) => condition !== undefined)
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::integer as count from messages where ${[...conditions, IS_LIVE].join(' and ')}`,
    parameters,
  )
  return row?.count ?? 0
}

/** Counts the messages in flight to contacts of a workspace that were erased. */
export async function countSendingToErased(em: EntityManager, workspaceId: string): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::integer as count from messages message
     where ${IS_LIVE} and workspace_id = $1::uuid and not exists (select from contacts where id = message.contact_id)`,
    [workspaceId],
  )
  return row?.count ?? 0
}

/** A recipient of a campaign. */
export interface QueuedRow {
  contact_id: string
  /** The lists that included the contact. An opt-out of one of them suppresses the message. */
  list_ids: readonly string[]
  /** The A/B variant; `null` if the campaign has none, or its winner is not known yet. */
  variant: number | null
  /** When to send it: ISO 8601, `infinity` until a winner is decided, `null` for immediately. */
  due_at: string | null
}

/** Queues a campaign's recipients. A contact that is already queued stays unchanged. @returns the number added */
export async function queueRecipients(
  em: EntityManager,
  campaign: { id: string; workspaceId: string },
  recipients: readonly QueuedRow[],
): Promise<number> {
  const rows = await write(
    em,
    `insert into messages (id, workspace_id, contact_id, campaign_id, status, claim, attempts, variant, list_ids, due_at)
       select gen_random_uuid(), $2::uuid, given.contact_id, $1::uuid, 'QUEUED', gen_random_uuid(), 0, given.variant,
         given.list_ids, coalesce(given.due_at, now())
       from jsonb_to_recordset($3::jsonb) as given(contact_id uuid, list_ids uuid[], variant smallint, due_at timestamptz)
       on conflict (campaign_id, contact_id) where campaign_id is not null do nothing returning ${CHANGED}`,
    [campaign.id, campaign.workspaceId, JSON.stringify(recipients)],
  )
  return rows.length
}

/** A transactional email to queue. */
export interface QueuedEmailRow {
  id: string
  contact_id: string
  recipient: string
  subject: string
  /** When to send it: ISO 8601; `null` for immediately. */
  due_at: string | null
}

/** Queues transactional emails. */
export async function queueEmails(
  em: EntityManager,
  workspaceId: string,
  emails: readonly QueuedEmailRow[],
): Promise<void> {
  await write(
    em,
    `insert into messages (id, workspace_id, contact_id, status, claim, attempts, recipient, subject, due_at)
       select id, $1::uuid, contact_id, 'QUEUED', gen_random_uuid(), 0, recipient, subject, coalesce(due_at, now())
       from jsonb_to_recordset($2::jsonb) as given(id uuid, contact_id uuid, recipient text, subject text, due_at timestamptz)
       returning ${CHANGED}`,
    [workspaceId, JSON.stringify(emails)],
  )
}

/** Assigns the winning variant to recipients that wait for it. @returns the number, at most `limit` */
export async function releaseRecipients(
  em: EntityManager,
  campaignId: string,
  variant: number,
  limit: number,
): Promise<number> {
  const rows = await write(
    em,
    `update messages set variant = $2::smallint, due_at = now() where id in (
         select id from messages
         where campaign_id = $1::uuid and status in ${DISMISSIBLE} and due_at = 'infinity'
         order by id limit $3 for update skip locked
       ) returning ${CHANGED}`,
    [campaignId, variant, limit],
  )
  return rows.length
}

/** Dismisses messages that were certainly not sent. Without a Message-ID, no bounce is attributed to them. @returns the number */
export async function dismissMessages(
  em: EntityManager,
  which: { ids: readonly string[] } | { enrollmentIds: readonly string[] } | { campaignId: string; limit: number },
  error: string | null,
): Promise<number> {
  const [where, ...parameters] =
    'ids' in which
      ? ['id = any($2::uuid[])', which.ids]
      : 'enrollmentIds' in which
        ? ['enrollment_id = any($2::uuid[])', which.enrollmentIds]
        : [
            `id in (select id from messages where campaign_id = $2::uuid and status in ${DISMISSIBLE}
               order by due_at, id limit $3 for update skip locked)`,
            which.campaignId,
            which.limit,
          ]
  const rows = await write(
    em,
    `update messages set status = 'DISMISSED', final_at = now(), error = $1, message_id = null,
         due_at = case when due_at = 'infinity' then now() else due_at end
       where ${where} and status in ${DISMISSIBLE} returning ${CHANGED}`,
    [error, ...parameters],
  )
  return rows.length
}

/** Dismisses one message as an operator decided. @returns whether it still had that status, and is not in flight */
export async function dismissDecided(em: EntityManager, id: string, status: MessageStatus): Promise<boolean> {
  const rows = await write(
    em,
    `update messages set status = 'DISMISSED', retry_at = null
       where id = $1::uuid and status = $2 and status in ${listed(statusesBefore('DISMISSED'))} and not (${IS_LIVE})
       returning ${CHANGED}`,
    [id, status],
  )
  return rows.length > 0
}

/**
 * Requests retries. A message with a pending retry keeps its time.
 * @param includeUnwanted whether to include messages whose enrollment was cancelled
 */
export async function requestRetries(
  em: EntityManager,
  ids: readonly string[],
  status: Retryable,
  { includeUnwanted }: { includeUnwanted: boolean },
): Promise<{ id: string; workspaceId: string; retryAt: string }[]> {
  return sql(
    em,
    `update messages message set retry_at = coalesce(retry_at, now())
     where id = any($1::uuid[]) and status = $2 and ${IS_RETRYABLE}
       and ($3::boolean or (retry_at is null and abandoned_at is null))
     returning id, workspace_id as "workspaceId", retry_at as "retryAt"`,
    [ids, status, includeUnwanted],
  )
}

/** Ends the retry of a message that can no longer be sent. */
export async function dropRetry(em: EntityManager, id: string): Promise<void> {
  await sql(
    em,
    `update messages set retry_at = null where id = $1::uuid and retry_at is not null and status <> 'SENDING'`,
    [id],
  )
}

/**
 * Ends all retries of automations' messages to contacts, and excludes these messages from bulk retries. A message in flight is
 * not retried after its current attempt. The caller has locked the contacts, which claims share.
 *
 * @returns the number that had a pending retry, or are in flight
 */
export async function cancelRetriesOf(em: EntityManager, places: readonly ContactInAutomation[]): Promise<number> {
  const rows = await sql<{ was_open: boolean }>(
    em,
    `update messages message set abandoned_at = now(), retry_at = null
     from messages before
     where (message.automation_id, message.contact_id) in (select * from unnest($1::uuid[], $2::uuid[]))
       and before.id = message.id and (message.retry_at is not null or message.status = 'SENDING' or ${IS_RETRYABLE})
     returning before.retry_at is not null or before.status = 'SENDING' as was_open`,
    contactInAutomationColumns(places),
  )
  return rows.filter(({ was_open }) => was_open).length
}

/** Messages that become UNCONFIRMED in one statement. Half a million would exceed the statement timeout. */
const PAGE = 1_000

/** Makes messages with a pending retry UNCONFIRMED, because a restore may have lost that they were sent since the backup. */
export async function abandonRetries(em: EntityManager, error: string): Promise<void> {
  const isOpen = `message.retry_at is not null and ${IS_RETRYABLE}`
  const abandonPage = (limit: number) =>
    write(
      em,
      `update messages message set status = 'UNCONFIRMED', retry_at = null, error = $1,
           final_at = coalesce(final_at, claimed_at)
         where id in (select id from messages message where ${isOpen} limit $2) and ${isOpen} returning ${CHANGED}`,
      [error, limit],
    )
  while ((await withSmallerPages(PAGE, abandonPage)).length > 0);
}

/**
 * Finalizes the messages of enrollments whose automation was deleted: unsent ones are dismissed, those of a dead process become
 * UNCONFIRMED, and none are retried.
 *
 * @returns the enrollments that have a message in flight
 */
export async function finishMessagesOf(
  em: EntityManager,
  enrollmentIds: readonly string[],
  { dismissed, senderDied }: { dismissed: string; senderDied: string },
): Promise<ReadonlySet<string>> {
  await dismissMessages(em, { enrollmentIds }, dismissed)
  const of = 'enrollment_id = any($2::uuid[])'
  await write(
    em,
    `${EXPIRE} where ${of} and status = 'SENDING' and lease_until <= clock_timestamp() returning ${CHANGED}`,
    [senderDied, enrollmentIds],
  )
  await sql(
    em,
    `update messages set retry_at = null where enrollment_id = any($1::uuid[]) and retry_at is not null and status <> 'SENDING'`,
    [enrollmentIds],
  )
  const rows = await sql<{ id: string }>(
    em,
    `select distinct enrollment_id as id from messages where enrollment_id = any($1::uuid[]) and ${IS_LIVE}`,
    [enrollmentIds],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Deletes a contact's messages, except those in flight. @returns the number left */
export async function deleteMessagesOf(em: EntityManager, contactId: string): Promise<number> {
  await inTransaction(em, async (unit) => {
    // Locks the messages first, so that no visit is recorded between counting and deleting.
    const gone = await sql<{ id: string }>(
      unit,
      `select id from messages where contact_id = $1::uuid and not (${IS_LIVE}) order by id for update`,
      [contactId],
    )
    const ids = gone.map(({ id }) => id)
    // Race: the outcome of an email in flight was recorded as an event after the erasure had deleted the others. Guard: its message is
    // deleted when it is final, so after that. Test: test/webhooks/erasure.test.ts.
    await deleteEventsOf(unit, contactId)
    if (ids.length === 0) return
    await uncountClicksIn(unit, ids)
    await write(unit, `delete from messages where id = any($1::uuid[]) returning ${CHANGED}`, [ids])
  })
  const [row] = await sql<{ count: number }>(
    em,
    'select count(*)::integer as count from messages where contact_id = $1::uuid',
    [contactId],
  )
  return row?.count ?? 0
}

/**
 * Visits of a message: when a person first opened it and first clicked a link in it, as Postgres prints it, or null; and whether a
 * machine opened it.
 */
export interface VisitSummary {
  messageId: string
  openedAt: string | null
  clickedAt: string | null
  isMachineOpened: boolean
}

/** Stores the visits of messages. A machine's open stays one if a person opens the message later. The caller holds their locks. */
export async function setVisits(em: EntityManager, visits: readonly VisitSummary[]): Promise<void> {
  await write(
    em,
    `update messages message set opened_at = visit.opened_at, clicked_at = visit.clicked_at,
       results = case when is_machine_opened and 'MACHINE_OPENED' <> all(results) then results || 'MACHINE_OPENED'::text
         else results end
     from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::boolean[])
       as visit (id, opened_at, clicked_at, is_machine_opened)
     where message.id = visit.id
       and ((message.opened_at, message.clicked_at) is distinct from (visit.opened_at, visit.clicked_at)
         or is_machine_opened and 'MACHINE_OPENED' <> all(results))
     returning ${CHANGED}`,
    [
      visits.map(({ messageId }) => messageId),
      visits.map(({ openedAt }) => openedAt),
      visits.map(({ clickedAt }) => clickedAt),
      visits.map(({ isMachineOpened }) => isMachineOpened),
    ],
  )
}

/** Records that a contact unsubscribed because of a message. A second time changes nothing. */
export async function recordUnsubscribe(em: EntityManager, id: string): Promise<void> {
  await write(
    em,
    `update messages set unsubscribed_at = now(), results = results || 'UNSUBSCRIBED'::text
       where id = $1::uuid and unsubscribed_at is null returning ${CHANGED}`,
    [id],
  )
}

/** Records that a message bounced, or that its recipient complained. A second time changes nothing. */
export async function recordResult(em: EntityManager, id: string, result: MessageResult): Promise<void> {
  await write(
    em,
    `update messages set results = results || $2::text where id = $1::uuid and $2 <> all(results) returning ${CHANGED}`,
    [id, result],
  )
}

/** Records that the recipient's mail server accepted a message. @returns `false` if that is recorded, or the message is erased */
export const setDelivered = (em: EntityManager, id: string): Promise<boolean> =>
  inTransaction(em, async (unit) => {
    const rows = await sql<{ workspace_id: string }>(
      unit,
      'update messages set delivered_at = now() where id = $1::uuid and delivered_at is null returning workspace_id',
      [id],
    )
    await recordWebhookFacts(
      unit,
      rows.map(({ workspace_id }) => ({ type: 'message.delivered', workspaceId: workspace_id, messageId: id })),
    )
    return rows.length > 0
  })
