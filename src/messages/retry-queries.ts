import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toDate } from '../platform/db/sql.ts'
import type { NewestPage, Place } from '../platform/db/newest-page.ts'
import { withSmallerPages } from '../platform/db/smaller-pages.ts'
import {
  type Delivery,
  DELIVERY_COLUMNS,
  type DeliveryRow,
  type Lane,
  toDelivery,
  WRITER_LEASE_SECONDS,
} from '../outbox/index.ts'
import { SENDING_STATUSES } from '../sequences/index.ts'
import type { WorkspaceMode } from '../workspaces/index.ts'
import { NIL_ID } from '../platform/ids.ts'
import { LEASE_SECONDS, MAY_SEND } from './claim-queries.ts'
import { messagePage, type MessageSearch } from './list-queries.ts'
import type { MessageStatus } from './message.ts'
import { recordOutcome, type Content, type Outcome } from './record-queries.ts'
import { draftOfCampaign, draftOnceMore, type OnceMoreDraft } from './unconfirmed-queries.ts'

/** What somebody may ask to have tried again. Nothing else is settled and may not have arrived. */
export const RETRYABLE = ['FAILED', 'CAPTURED', 'UNCONFIRMED'] as const
export type Retryable = (typeof RETRYABLE)[number]

const IS_RETRYABLE = `message.status in (${RETRYABLE.map((status) => `'${status}'`).join(', ')})`

/** How mail of a workspace leaves it, and whether it is held back behind a restore. */
export async function mailOf(
  em: EntityManager,
  workspaceId: string,
): Promise<{ workspaceMode: WorkspaceMode; mail: 'smtp' | 'capture' | null; isHeld: boolean }> {
  const [row] = await sql<{ mode: WorkspaceMode; mail: 'smtp' | 'capture' | null; is_held: boolean }>(
    em,
    `select mode, installation.mail, installation.restored_at is not null as is_held
     from workspaces left join installation on true where workspaces.id = $1::uuid`,
    [workspaceId],
  )
  if (!row) throw new Error('A caller without a workspace')
  return { workspaceMode: row.mode, mail: row.mail, isHeld: row.is_held }
}

/** A message as whoever wants it tried again finds it. */
export interface RetryCandidate {
  status: MessageStatus
  /** Whether what it was made from is still there. */
  hasSource: boolean
  createdAt: Date
}

export async function findRetryCandidate(
  em: EntityManager,
  workspaceId: string,
  id: string,
): Promise<RetryCandidate | undefined> {
  const [row] = await sql<{ status: MessageStatus; has_source: boolean; created_at: string }>(
    em,
    `select status, created_at, ${HAS_SOURCE} as has_source from messages message
     where id = $2::uuid and workspace_id = $1::uuid`,
    [workspaceId, id],
  )
  return row && { status: row.status, hasSource: row.has_source, createdAt: toDate(row.created_at) }
}

const HAS_SOURCE = `
(exists (
  select from campaigns campaign
  join contacts contact on contact.id = message.contact_id and contact.workspace_id = campaign.workspace_id
  where campaign.id = message.campaign_id and campaign.status <> 'CANCELLED'
) or exists (
  select from enrollments enrollment
  join automations automation on automation.id = enrollment.automation_id and automation.deleted_at is null
  join contacts contact on contact.id = enrollment.contact_id
  where enrollment.id = message.enrollment_id
))`

/**
 * Has a message tried again, and makes that due. Asked again meanwhile, it stays as it was.
 * @returns since when it is to be tried, and what is due; `undefined` where it is not in that status any more.
 */
export async function askForRetry(
  em: EntityManager,
  id: string,
  status: MessageStatus,
): Promise<{ retryAt: Date; due: Delivery[] } | undefined> {
  const rows = await sql<DeliveryRow & { retry_at: string }>(
    em,
    `with asked as (
       update messages message set retry_at = coalesce(nullif(retry_at, '-infinity'), now())
       where id = $1::uuid and status = $2 and ${IS_RETRYABLE}
       returning id, workspace_id, retry_at
     ),
     ${DUE('interactive')}
     select asked.retry_at, ${DELIVERY_COLUMNS} from asked cross join delivery`,
    [id, status],
  )
  const [row] = rows
  return row && { retryAt: toDate(row.retry_at), due: [toDelivery(row)] }
}

/** What makes due what is `asked`. */
const DUE = (lane: Lane): string => `
delivery as (
  insert into outbox as delivery (kind, key, lane, workspace_id, message_id, due_at)
  select 'RETRY', id::text, '${lane}', workspace_id, id,
    now() + interval '${lane === 'interactive' ? WRITER_LEASE_SECONDS : 0} seconds'
  from asked
  on conflict (kind, key) do update set generation = delivery.generation + 1, attempts = 0, due_at = excluded.due_at
  returning delivery.*
)`

/**
 * Looks at so many messages of a status, newest first, and has those tried again that may be. The relay sees to it. The contacts
 * are locked before it is looked who was taken out: a DELETE of an enrollment waits for what it has to drop, or is seen.
 *
 * @param unit a transaction
 */
export async function askForRetries(
  unit: EntityManager,
  workspaceId: string,
  search: MessageSearch,
  { status, ...range }: Pick<NewestPage, 'behind' | 'since' | 'until' | 'limit'> & { status: Retryable },
): Promise<{ asked: number; looked: number; last: Place | undefined }> {
  const parameters: unknown[] = []
  const columns = 'item.contact_id'
  const text = messagePage(workspaceId, search, { columns, statuses: [status], ...range }, parameters)
  const page = await sql<Place & { contact_id: string }>(unit, text, parameters)
  const last = page.at(-1)
  const of = [page.map(({ id }) => id), status]
  await sql(unit, 'select from contacts where id = any($1::uuid[]) order by id for key share', [
    page.map(({ contact_id }) => contact_id),
  ])
  const [row] = await sql<{ asked: number }>(unit, ASK_FOR_ALL, of)
  return { asked: row?.asked ?? 0, looked: page.length, last: last && { micros: last.micros, id: last.id } }
}

const ASK_FOR_ALL = `
with asked as (
  update messages message set retry_at = now()
  where message.id = any($1::uuid[]) and message.status = $2 and message.retry_at is null and ${HAS_SOURCE}
    -- Who was taken out is asked for by name, or not at all.
    and message.unwanted_at is null
    and not exists (select from enrollments where id = message.enrollment_id and status = 'CANCELLED')
  returning message.id, message.workspace_id
),
${DUE('bulk')}
select count(*)::integer as asked from delivery`

/** Some of those that have been to be tried again for long: Temporal may have lost them, and is told once more. */
export async function overdueRetries(em: EntityManager, limit: number): Promise<{ id: string; workspaceId: string }[]> {
  return sql<{ id: string; workspaceId: string }>(
    em,
    `select id, workspace_id as "workspaceId" from messages message
     where ${MAY_SEND} and ${IS_RETRYABLE} and retry_at > '-infinity'
       and (exists (select from campaigns where id = campaign_id and status in ('SENDING', 'SENT'))
         or exists (select from automations where id = automation_id and status in ${SENDING_STATUSES} and deleted_at is null))
       and retry_at < now() - interval '${OVERDUE_MINUTES} minutes' order by random() limit $1`,
    [limit],
  )
}

const OVERDUE_MINUTES = 10

/**
 * Makes due what is to be tried again of an automation that sends again: so many at a time, in the order of their ids.
 * @returns the last of them, `null` where there are no further ones
 */
export async function wakeRetries(
  em: EntityManager,
  automationId: string,
  afterId: string | null,
  limit: number,
): Promise<string | null> {
  const rows = await sql<{ id: string }>(
    em,
    `with asked as (
       select id, workspace_id from messages message
       where automation_id = $1::uuid and retry_at is not null and id > $2::uuid
         and retry_at > '-infinity' and ${IS_RETRYABLE}
       order by id limit $3
     ),
     ${DUE('bulk')}
     select id from asked order by id`,
    [automationId, afterId ?? NIL_ID, limit],
  )
  return rows.length < limit ? null : rows.at(-1)!.id
}

/** Makes due what is to be tried again of a campaign that sends again. */
export async function wakeRetriesOfCampaign(em: EntityManager, campaignId: string): Promise<void> {
  await sql(
    em,
    `with asked as (
       select id, workspace_id from messages message
       where campaign_id = $1::uuid and retry_at > '-infinity' and ${IS_RETRYABLE}
     ),
     ${DUE('bulk')}
     select count(*) from delivery`,
    [campaignId],
  )
}

/** Looks at a message that is to be tried again, without a lock: the claim asks again. */
export const draftRetry = async (em: EntityManager, id: string): Promise<OnceMoreDraft | undefined> =>
  (await draftOnceMore(em, id, {
    name: 'to-retry',
    sql: `${IS_TO_RETRY} and automation.status in ${SENDING_STATUSES}`,
  })) ??
  (await draftOfCampaign(em, id, { name: 'to-retry', sql: `${IS_TO_RETRY} and campaign.status in ${SENT_OR_SENDING}` }))

/** A campaign of which something may be tried again: none that somebody has paused or cancelled. */
const SENT_OR_SENDING = `('SENDING', 'SENT')`

const IS_TO_RETRY = `(${IS_RETRYABLE} and message.retry_at > '-infinity' and ${MAY_SEND})`

/** An attempt at it. @see Claim */
export interface RetryClaim {
  claim: string
  attempts: number
  recipient: string
  /** What the draft had of the contact's. */
  consents: number
  header: string
}

/**
 * Claims a message that is to be tried again, and with that it is not to be any more: whatever becomes of it, it is handed over
 * once. It fails where another attempt has come between, or its contact has another address by now.
 */
export async function claimRetry(
  em: EntityManager,
  id: string,
  { claim, attempts, recipient, consents, header }: RetryClaim,
): Promise<string | undefined> {
  const [row] = await preparedSql<{ id: string }>(em, 'claim-retry', CLAIM, [
    id,
    claim,
    attempts,
    recipient,
    LEASE_SECONDS,
    header,
    consents,
  ])
  return row?.id
}

/** Under the same locks as a claim of a sequence's: a DELETE, a PATCH or an erasure waits for it, or it finds nothing. */
const CLAIM = `
with automation as (
  select id from automations
  where id = (select automation_id from messages where id = $1::uuid) and deleted_at is null and status in ${SENDING_STATUSES}
  for share
),
campaign as (
  select id from campaigns where id = (select campaign_id from messages where id = $1::uuid) and status in ${SENT_OR_SENDING} for share
),
source as (select id from automation union all select id from campaign),
contact as (
  select id from contacts where id = (select contact_id from messages where id = $1::uuid) and email = $4::text
    and consents = $7::integer
  for share
)
update messages message
set status = 'SENDING', claim = $2::uuid, attempts = message.attempts + 1, claimed_at = now(), error = null, retry_at = null,
  lease_until = clock_timestamp() + make_interval(secs => $5::float8),
  message_id = case when message.status = 'UNCONFIRMED' then coalesce(message.message_id, $6::text) else $6::text end
from source, contact
where message.id = $1::uuid and source.id = coalesce(message.automation_id, message.campaign_id)
  and contact.id = message.contact_id
  and message.attempts = $3::integer and ${IS_TO_RETRY}
returning message.id`

/** Settles without a hand-over what is to be tried again. */
export async function settleRetry(
  em: EntityManager,
  id: string,
  of: RetryClaim,
  outcome: Outcome,
  content: Content | undefined,
): Promise<string | undefined> {
  return em.transactional(async (unit) => {
    const claimed = await claimRetry(unit, id, of)
    if (claimed !== undefined) await recordOutcome(unit, { id, claim: of.claim }, outcome, content)
    return claimed
  })
}

/**
 * Notes that a message was certainly not sent: it is what it was before, and still to be tried again, unless that was ended since
 * (`dropRetriesOf`), or somebody has settled it otherwise. Where the claim may be on its way to Postgres, this comes before it: the number of attempts
 * moves on, and the claim fails. The server's words are kept of nobody who was erased.
 */
export async function putOffRetry(
  em: EntityManager,
  id: string,
  put: { claim: string; attempts: number; before: MessageStatus; error: string; retryAt: string | null },
): Promise<void> {
  await sql(em, PUT_OFF, [id, put.claim, put.attempts, put.before, put.error, put.retryAt])
}

const PUT_OFF = `
with contact as (
  select id from contacts where id = (select contact_id from messages where id = $1::uuid) for share
)
update messages set lease_until = null, attempts = $3::integer + 1,
  -- What was taken for abandoned meanwhile is told the words, and nothing else.
  status = case when status = 'UNCONFIRMED' and claim = $2::uuid then status else $4 end,
  retry_at = case
    when retry_at > '-infinity' then retry_at
    when status = 'SENDING' and retry_at is null then coalesce($6::timestamptz, now())
  end,
  error = case when exists (select from contact) then $5::text end
where id = $1::uuid
  and (
    (claim = $2::uuid and status in ('SENDING', 'UNCONFIRMED'))
    or (attempts = $3::integer and status = $4 and retry_at > '-infinity')
  )`

/**
 * Ends all retries of an automation's messages to a contact, and has those to come leave out what may be tried again. One whose email
 * is being handed over at this moment is marked: what comes of that is recorded, and it is not tried once more. The contact is
 * locked, which attempts share.
 *
 * @returns how many were to be tried again, or are being sent
 */
export async function dropRetriesOf(em: EntityManager, automationId: string, contactId: string): Promise<number> {
  const rows = await sql<{ was_open: boolean }>(
    em,
    `update messages message set unwanted_at = now(),
       retry_at = case when message.status = 'SENDING' then '-infinity'::timestamptz end
     from messages before
     where message.contact_id = $2::uuid and message.automation_id = $1::uuid
       and before.id = message.id and (message.retry_at is not null or message.status = 'SENDING' or ${IS_RETRYABLE})
     returning before.retry_at is not null or before.status = 'SENDING' as was_open`,
    [automationId, contactId],
  )
  return rows.filter(({ was_open }) => was_open).length
}

/**
 * Ends a retry that comes to nothing, because what the message was made from is gone, or it is settled otherwise by now. Where its
 * automation is only held, or the installation, it stays. @returns whether it stays.
 */
export async function dropRetry(em: EntityManager, id: string): Promise<boolean> {
  const [row] = await sql<{ stays: boolean }>(
    em,
    `update messages message set retry_at = case when ${IS_RETRYABLE} and ${HAS_SOURCE} then retry_at end
     where id = $1::uuid and retry_at > '-infinity' and status <> 'SENDING' returning retry_at is not null as stays`,
    [id],
  )
  return row?.stays ?? false
}

/** Whether an attempt may be handing it over at this moment. */
export async function isBeingSent(em: EntityManager, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from messages where id = $1::uuid and status = 'SENDING' and lease_until > clock_timestamp()`,
    [id],
  )
  return rows.length > 0
}

/**
 * Of what was being handed over when a backup was made, nobody knows what came of it: it is not tried by itself. What is behind it
 * in its sequence is reckoned from then.
 *
 * @param mayLive whether somebody may be handing over at this moment: what is his is his to record
 */
export async function giveUpSending(em: EntityManager, error: string, mayLive: boolean): Promise<void> {
  await sql(
    em,
    `update messages set status = 'UNCONFIRMED', lease_until = null, error = $1, settled_at = coalesce(settled_at, claimed_at)
     where status = 'SENDING' and not ($2::boolean and lease_until > clock_timestamp())`,
    [error, mayLive],
  )
}

/** Half a million take longer than a statement may. */
const GIVEN_UP_AT_ONCE = 1_000

/**
 * The same of what was to be tried again: it may have been, and was taken, since the backup. In pages; it may be repeated.
 *
 * @param until gives up only what somebody wanted by then; all where nothing is said
 */
export async function giveUpRetries(
  em: EntityManager,
  error: string,
  { until = null, atOnce = GIVEN_UP_AT_ONCE }: { until?: Date | null; atOnce?: number } = {},
): Promise<void> {
  const isOpen = `message.retry_at is not null and ${IS_RETRYABLE}
    and ($3::timestamptz is null or message.retry_at <= $3::timestamptz)`
  const giveUpPage = (limit: number) =>
    sql(
      em,
      `update messages message set status = 'UNCONFIRMED', retry_at = null, error = $1,
         settled_at = coalesce(settled_at, claimed_at)
       where id in (select id from messages message where ${isOpen} limit $2) and ${isOpen} returning id`,
      [error, limit, until?.toISOString() ?? null],
    )
  while ((await withSmallerPages(atOnce, giveUpPage)).length > 0);
}

/** The automations that send, and of which something is to be tried again. */
export async function automationsWithRetries(em: EntityManager): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    em,
    `select id from automations automation where status in ${SENDING_STATUSES} and deleted_at is null
       and exists (select from messages where automation_id = automation.id and retry_at is not null)`,
  )
  return rows.map(({ id }) => id)
}
