import { type Delivery, DELIVERY_COLUMNS, type DeliveryRow, toDelivery, WRITER_LEASE_SECONDS } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toDate } from '../platform/db/sql.ts'
import type { EmailCategory } from '../sequences/index.ts'
import type { CampaignStatus } from './campaign.ts'
import type { Counts } from './counts.ts'

/** Makes it due that a campaign's workflow looks what is next, in the transaction of what changes it. */
export async function enqueueCampaign(em: EntityManager, workspaceId: string, campaignId: string): Promise<Delivery[]> {
  const rows = await sql<DeliveryRow>(
    em,
    `with delivery as (
       insert into outbox as delivery (kind, key, lane, workspace_id, campaign_id, due_at)
       values ('CAMPAIGN', $2::text, 'interactive', $1::uuid, $2::uuid, now() + make_interval(secs => $3::float8))
       on conflict (kind, key) do update set generation = delivery.generation + 1, attempts = 0, due_at = excluded.due_at
       returning delivery.*
     )
     select ${DELIVERY_COLUMNS} from delivery`,
    [workspaceId, campaignId, WRITER_LEASE_SECONDS],
  )
  return rows.map(toDelivery)
}

/**
 * Has Postgres look at the messages anew where a campaign has written more than a tenth of them. Until autovacuum comes by, its plans are for the
 * small table that it was: each message would be looked for in all of them.
 */
export async function analyzeMessages(em: EntityManager, id: string): Promise<void> {
  const isNews = await sql(
    em,
    `select from campaigns, pg_class where campaigns.id = $1::uuid and pg_class.oid = 'messages'::regclass
       and recipient_count > greatest(reltuples, 0) / 10`,
    [id],
  )
  if (isNews.length > 0) await sql(em, 'analyze (skip_locked) messages')
}

/** Begins a campaign whose time has come. @returns whether it was to begin */
export async function beginSending(em: EntityManager, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `update campaigns set status = 'SENDING', started_at = coalesce(started_at, now()), updated_at = now(),
       last_place = coalesce(last_place, (
         select max(place) from contacts where contacts.workspace_id = campaigns.workspace_id
       ), 0)
     where id = $1::uuid and status = 'SCHEDULED' and scheduled_at <= now() returning id`,
    [id],
  )
  return rows.length > 0
}

/** What is left of a campaign. */
export interface Rest {
  /** Whether it is still sending. */
  mayGoOn: boolean
  /** When the first of those is due that are queued or put off. */
  dueAt: Date | null
  /** Whether some wait until it is decided what they get. */
  isHeld: boolean
  /** Whether some have not been tried, and do not wait for that. */
  isQueued: boolean
  /** Whether an email is being handed over at this moment. */
  isSending: boolean
}

export async function restOf(em: EntityManager, id: string): Promise<Rest> {
  const [row] = await sql<{
    may_go_on: boolean
    due_at: string | null
    is_held: boolean
    is_queued: boolean
    is_sending: boolean
  }>(
    em,
    `select
       exists (select from campaigns where id = $1::uuid and status = 'SENDING') as may_go_on,
       (select min(due_at) from messages
        where campaign_id = $1::uuid and status in ('QUEUED', 'DEFERRED') and due_at < 'infinity') as due_at,
       exists (
         select from messages
         where campaign_id = $1::uuid and status in ('QUEUED', 'DEFERRED') and due_at = 'infinity'
       ) as is_held,
       exists (
         select from messages where campaign_id = $1::uuid and status = 'QUEUED' and due_at < 'infinity'
       ) as is_queued,
       exists (select from messages where campaign_id = $1::uuid and status = 'SENDING') as is_sending`,
    [id],
  )
  return {
    mayGoOn: row?.may_go_on ?? false,
    dueAt: row?.due_at == null ? null : toDate(row.due_at),
    isHeld: row?.is_held ?? false,
    isQueued: row?.is_queued ?? false,
    isSending: row?.is_sending ?? false,
  }
}

/** Ends a campaign of which nothing is left. @returns whether that was so */
export async function finishCampaign(em: EntityManager, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `update campaigns set status = 'SENT', finished_at = now(), updated_at = now()
     where id = $1::uuid and status = 'SENDING' and walked
       and not exists (
         select from messages where campaign_id = $1::uuid and status in ('QUEUED', 'DEFERRED', 'SENDING')
       )
     returning id`,
    [id],
  )
  return rows.length > 0
}

/** Leaves some of what is not sent of a cancelled campaign. @returns how many */
export async function dismissQueued(em: EntityManager, id: string, limit: number): Promise<number> {
  const rows = await sql(
    em,
    `update messages set status = 'DISMISSED', settled_at = now(), error = 'The campaign was cancelled before it could be sent'
     where id in (
       select id from messages where campaign_id = $1::uuid and status in ('QUEUED', 'DEFERRED')
       order by due_at, id limit $2 for update skip locked
     ) and status in ('QUEUED', 'DEFERRED') returning id`,
    [id, limit],
  )
  return rows.length
}

/** Leaves what is of nobody any more. @returns whether there was such */
export async function dismissErased(em: EntityManager, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `update messages message set status = 'DISMISSED', settled_at = now(), error = null
     where campaign_id = $1::uuid and status in ('QUEUED', 'DEFERRED')
       and not exists (select from contacts where contacts.id = message.contact_id)
     returning id`,
    [id],
  )
  return rows.length > 0
}

/** Stops a campaign that cannot be sent as it was meant. @returns whether it was sending */
export async function pauseByItself(em: EntityManager, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `update campaigns set status = 'PAUSED', paused_from = 'SENDING', revision = revision + 1, updated_at = now()
     where id = $1::uuid and status = 'SENDING' returning id`,
    [id],
  )
  return rows.length > 0
}

/** Stops those that wait for their time: behind a backup one may have been sent earlier than that says. Somebody resumes them. */
export async function holdWaitingCampaigns(em: EntityManager): Promise<void> {
  await sql(
    em,
    `update campaigns set status = 'PAUSED', paused_from = 'SCHEDULED', revision = revision + 1, updated_at = now()
     where status = 'SCHEDULED'`,
  )
}

/** Whether something of it has still to be sent or left. */
export async function hasOpen(em: EntityManager, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from messages where campaign_id = $1::uuid and status in ('QUEUED', 'DEFERRED', 'SENDING') limit 1`,
    [id],
  )
  return rows.length > 0
}

/** Notes that so many are sent, or that so many of these are not. @returns when the next may be, at the rate that it keeps; `null`: it keeps none any more */
export async function keepRate(em: EntityManager, id: string, count: number): Promise<Date | null> {
  const [row] = await sql<{ next_at: string }>(
    em,
    `update campaigns set next_at = greatest(coalesce(next_at, now()), now())
       + make_interval(secs => $2::float8 * 3600 / throttle_per_hour)
     where id = $1::uuid and throttle_per_hour is not null
     returning next_at`,
    [id, count],
  )
  return row ? toDate(row.next_at) : null
}

/** Those that should have a workflow: nobody looks after one that Temporal has lost. */
export async function campaignsUnderWay(em: EntityManager): Promise<{ id: string; workspaceId: string }[]> {
  return sql<{ id: string; workspaceId: string }>(
    em,
    `select id, workspace_id as "workspaceId" from campaigns
     where status in ('SCHEDULED', 'SENDING')
       or (status = 'CANCELLED' and exists (
         select from messages where campaign_id = campaigns.id and status in ('QUEUED', 'DEFERRED')
       ))`,
  )
}

/** So many reasons are told apart, the most frequent ones; the rest are one of each status. */
const MOST_REASONS = 100
const OTHER_REASONS = 'Other reasons'

/**
 * Of what a campaign's messages were not sent, and how many for each reason. Of what a server says only its codes are told (RFC 5321,
 * section 4.2; RFC 3463): behind them it mostly repeats the address.
 */
export async function reasonsOf(
  em: EntityManager,
  id: string,
): Promise<{ status: string; reason: string; count: number }[]> {
  return sql<{ status: string; reason: string; count: number }>(
    em,
    `with reasons as (
       select status, coalesce(substring(error from '^[245]\\d\\d(?:[ -][245]\\.\\d{1,3}\\.\\d{1,3})?'),
         regexp_replace(error, '[^[:space:]<>"]+@[^[:space:]<>"]+', '<address>', 'g'), '') as reason, count(*) as count
       from messages
       where campaign_id = $1::uuid and status in ('SUPPRESSED', 'FAILED', 'UNCONFIRMED', 'DISMISSED')
       group by 1, 2
     ),
     ranked as (select *, row_number() over (order by count desc, status, reason) as rank from reasons)
     select status, case when rank <= $2::integer then reason else $3::text end as reason, sum(count)::float8 as count
     from ranked group by 1, 2 order by min(rank)`,
    [id, MOST_REASONS, OTHER_REASONS],
  )
}

/** A campaign as a list shows it: all but what it says and whom it is for. */
export interface ListedCampaign {
  id: string
  name: string
  status: CampaignStatus
  category: EmailCategory
  subject: string | null
  scheduledAt: Date | null
  localTime: string | null
  recipientCount: number
  createdAt: Date
  updatedAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  counts: Counts
}

/** A page of a workspace's campaigns, newest first, with what has become of everybody; and how many there are. */
export async function campaignPage(
  em: EntityManager,
  workspaceId: string,
  { status, limit, offset }: { status: CampaignStatus | undefined; limit: number; offset: number },
): Promise<[ListedCampaign[], number]> {
  const [counted, rows] = await Promise.all([
    sql<{ count: number }>(
      em,
      `select count(*)::float8 as count from campaigns
       where workspace_id = $1::uuid and ($2::text is null or status = $2::text)`,
      [workspaceId, status ?? null],
    ),
    sql<{
      id: string
      name: string
      status: CampaignStatus
      category: EmailCategory
      subject: string | null
      scheduled_at: string | null
      local_time: string | null
      recipient_count: number
      created_at: string
      updated_at: string
      started_at: string | null
      finished_at: string | null
      counts: Counts | null
    }>(
      em,
      `select campaign.id, name, status, category, coalesce(source ->> 'subject', own.subject) as subject,
         scheduled_at, local_time, recipient_count::float8, created_at, updated_at, started_at, finished_at, counted.counts
       from (
         select * from campaigns where workspace_id = $1::uuid and ($2::text is null or status = $2::text)
         order by created_at desc, id desc limit $3 offset $4
       ) campaign
       left join campaign_contents own on own.campaign_id = campaign.id and own.variant = 0 and own.locale = ''
       left join lateral (
         select jsonb_object_agg(figure, count) as counts from (
           select figure, sum(count) as count from (
             select figure, count from step_figures where automation_id = campaign.id
             union all
             select figure, change from figure_changes where automation_id = campaign.id
           ) changes
           group by figure having sum(count) <> 0
         ) figures
       ) counted on true
       order by created_at desc, campaign.id desc`,
      [workspaceId, status ?? null, limit, offset],
    ),
  ])
  const dateOf = (text: string | null) => (text === null ? null : toDate(text))
  const campaigns = rows.map((row) => ({
    id: row.id,
    name: row.name,
    status: row.status,
    category: row.category,
    subject: row.subject,
    scheduledAt: dateOf(row.scheduled_at),
    localTime: row.local_time,
    recipientCount: row.recipient_count,
    createdAt: toDate(row.created_at),
    updatedAt: toDate(row.updated_at),
    startedAt: dateOf(row.started_at),
    finishedAt: dateOf(row.finished_at),
    counts: row.counts ?? {},
  }))
  return [campaigns, counted[0]?.count ?? 0]
}
