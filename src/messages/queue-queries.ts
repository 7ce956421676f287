/** Statements about messages that have not been tried yet: they are queued, taken, postponed, and dismissed. */
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql } from '../platform/db/sql.ts'
import { CHANGED } from './changes-queries.ts'
import type { MessageStatus } from './message.ts'
import { statusesBefore } from './transitions.ts'
import { DISMISSIBLE, IS_LIVE, listed, write } from './write-queries.ts'

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
