import { notifyOwners } from '../accounts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { inTransaction, preparedSql, sql, toDate, toObjects, unitOf } from '../platform/db/sql.ts'
import type { EmailCategory } from '../automation-engine/index.ts'
import type { ToleratedRates } from '../reputation/index.ts'
import { type CampaignEventType, recordWebhookFacts } from '../webhooks/index.ts'
import type { Audience, CampaignStatus } from './campaign.ts'
import type { Counts } from './counts.ts'

/** Locks a campaign against changes until the transaction ends, shared with other readers. @returns its status, if it exists */
export async function lockCampaignShared(em: EntityManager, id: string): Promise<CampaignStatus | undefined> {
  const [row] = await preparedSql<{ status: CampaignStatus }>(
    em,
    'share-campaign',
    'select status from campaigns where id = $1::uuid for share',
    [id],
  )
  return row?.status
}

/**
 * Runs ANALYZE on messages if the campaign added more than a tenth of the rows. Until autovacuum runs, Postgres plans as if the
 * table were still small, and would scan all of it for each message.
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

/**
 * Starts a campaign whose time has come.
 * @param lastPlace the place of the workspace's last contact: later contacts are not recipients
 * @returns whether it was due
 */
export async function beginSending(em: EntityManager, id: string, lastPlace: number): Promise<boolean> {
  return inTransaction(em, async (unit) => {
    const rows = await sql<CampaignRow>(
      unit,
      `update campaigns set status = 'SENDING', started_at = coalesce(started_at, now()), updated_at = now(),
       last_place = coalesce(last_place, $2::bigint)
     where id = $1::uuid and status = 'SCHEDULED' and scheduled_at <= now() returning id, workspace_id`,
      [id, lastPlace],
    )
    await recordStatus(unit, 'campaign.started', rows)
    return rows.length > 0
  })
}

interface CampaignRow {
  id: string
  workspace_id: string
}

/** Records for webhooks that campaigns changed their status. */
const recordStatus = (em: EntityManager, type: CampaignEventType, campaigns: readonly CampaignRow[]): Promise<void> =>
  recordWebhookFacts(
    em,
    campaigns.map(({ id, workspace_id }) => ({ type, workspaceId: workspace_id, campaignId: id })),
  )

/** Whether a campaign is sending. */
export async function isSending(em: EntityManager, id: string): Promise<boolean> {
  return (await sql(em, `select from campaigns where id = $1::uuid and status = 'SENDING'`, [id])).length > 0
}

/** Locks a campaign that is sending and whose recipients are all queued. @returns whether it is */
export async function lockMaterialized(em: EntityManager, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from campaigns where id = $1::uuid and status = 'SENDING' and materialized for no key update`,
    [id],
  )
  return rows.length > 0
}

/** Marks a campaign as sent. The caller has locked it. */
export async function markSent(em: EntityManager, id: string): Promise<void> {
  const rows = await sql<CampaignRow>(
    em,
    `update campaigns set status = 'SENT', finished_at = now(), updated_at = now() where id = $1::uuid returning id, workspace_id`,
    [id],
  )
  await recordStatus(em, 'campaign.finished', rows)
}

/** Reasons for which Dripline pauses a campaign itself. Its reputation is another one. */
export const PAUSE_REASONS = {
  AUDIENCE_MISSING: 'A list or a segment of its audience was deleted',
  WORKFLOW_CANCELLED: 'Its workflow was cancelled in Temporal',
  WORKFLOW_TERMINATED: 'Its workflow was terminated in Temporal',
} as const

/**
 * Pauses a scheduled or sending campaign on Dripline's own account, and tells the owners of the workspace.
 * @param options.seen the revision for which the reason was found, if it may be outdated
 * @returns whether it was paused
 */
export async function pauseAutomatically(
  em: EntityManager,
  id: string,
  reason: string,
  { seen = null, toleratedRates = null }: { seen?: number | null; toleratedRates?: ToleratedRates | null } = {},
): Promise<boolean> {
  return unitOf(em).transactional(async (unit) => {
    const rows = await sql(
      unit,
      `update campaigns set status = 'PAUSED', paused_from = status, pause_reason = $2, tolerated_rates = coalesce($4::jsonb, tolerated_rates),
         revision = revision + 1, updated_at = now()
       where id = $1::uuid and status in ('SCHEDULED', 'SENDING') and ($3::integer is null or revision = $3::integer)
       returning workspace_id`,
      [id, reason, seen, toleratedRates && JSON.stringify(toleratedRates)],
    )
    const [paused] = toObjects<{ workspaceId: string }>(rows)
    if (paused) {
      await recordStatus(unit, 'campaign.paused', [{ id, workspace_id: paused.workspaceId }])
      await notifyOwners(unit, [{ ...paused, campaignId: id }])
    }
    return paused !== undefined
  })
}

/** Pauses scheduled campaigns: after a restore, one may already have been sent. A member resumes them. */
export const pauseScheduledCampaigns = (em: EntityManager): Promise<void> =>
  inTransaction(em, async (unit) => {
    const rows = await sql<CampaignRow>(
      unit,
      `update campaigns set status = 'PAUSED', paused_from = 'SCHEDULED', revision = revision + 1, updated_at = now()
       where status = 'SCHEDULED' returning id, workspace_id`,
    )
    await recordStatus(unit, 'campaign.paused', rows)
  })

/** Whether messages are left to send or dismiss. */
export async function hasOpen(em: EntityManager, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from messages where campaign_id = $1::uuid and status in ('QUEUED', 'DEFERRED', 'SENDING') limit 1`,
    [id],
  )
  return rows.length > 0
}

/**
 * Counts messages against the campaign's hourly rate; a negative count returns unused ones. @returns when the next message may be
 * sent; `null` if the campaign no longer has a rate
 */
export async function applyThrottle(em: EntityManager, id: string, count: number): Promise<Date | null> {
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

/** A campaign that should have a workflow. */
export interface UnfinishedCampaign {
  id: string
  workspaceId: string
  status: CampaignStatus
  revision: number
  /** Whether Temporal must still be notified of a change. */
  isChanging: boolean
}

/** Lists the campaigns that should have a workflow: active ones, and cancelled ones with messages left to dismiss. */
export async function listUnfinishedCampaigns(em: EntityManager): Promise<UnfinishedCampaign[]> {
  return sql<UnfinishedCampaign>(
    em,
    `select id, workspace_id as "workspaceId", status, revision, exists (
       select from outbox where kind = 'CAMPAIGN' and key = campaigns.id::text
     ) as "isChanging"
     from campaigns
     where status in ('SCHEDULED', 'SENDING')
       or (status = 'CANCELLED' and exists (
         select from messages where campaign_id = campaigns.id and status in ('QUEUED', 'DEFERRED')
       ))`,
  )
}

/** Maximum number of reasons listed, most frequent first. The rest are grouped by status. */
const MAX_REASONS = 100
const OTHER_REASONS = 'Other reasons'

/**
 * Counts the messages that were not sent, by status and reason. Of a server's response, only the codes are kept (RFC 5321,
 * section 4.2; RFC 3463): the text after them usually repeats the address.
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
    [id, MAX_REASONS, OTHER_REASONS],
  )
}

/** A campaign in a list: without its content and audience. */
export interface ListedCampaign {
  id: string
  name: string
  status: CampaignStatus
  category: EmailCategory
  subject: string | null
  scheduledAt: Date | null
  localTime: string | null
  recipientCount: number
  audience: Audience
  isAbTest: boolean
  /** When the winner of an A/B test is chosen; null if it was, or is not known yet. */
  winnerAt: Date | null
  createdAt: Date
  updatedAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  counts: Counts
}

/** Reads a page of a workspace's campaigns, newest first, with their stats, and the total number. */
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
      audience: Audience
      is_ab_test: boolean
      winner_at: string | null
      created_at: string
      updated_at: string
      started_at: string | null
      finished_at: string | null
      counts: Counts | null
    }>(
      em,
      `select campaign.id, name, status, category, coalesce(source ->> 'subject', own.subject) as subject,
         scheduled_at, local_time, recipient_count::float8, audience, ab_test is not null as is_ab_test,
         case when winner is null then decides_at end as winner_at, created_at, updated_at, started_at, finished_at, counted.counts
       from (
         select * from campaigns where workspace_id = $1::uuid and ($2::text is null or status = $2::text)
         order by created_at desc, id desc limit $3 offset $4
       ) campaign
       left join campaign_contents own on own.campaign_id = campaign.id and own.variant = 0 and own.locale = ''
       left join lateral (
         select jsonb_object_agg(counter, count) as counts from (
           select counter, sum(count) as count from (
             select counter, count from step_counters where automation_id = campaign.id
             union all
             select counter, change from counter_changes where automation_id = campaign.id
           ) changes
           group by counter having sum(count) <> 0
         ) counters
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
    audience: row.audience,
    isAbTest: row.is_ab_test,
    winnerAt: dateOf(row.winner_at),
    createdAt: toDate(row.created_at),
    updatedAt: toDate(row.updated_at),
    startedAt: dateOf(row.started_at),
    finishedAt: dateOf(row.finished_at),
    counts: row.counts ?? {},
  }))
  return [campaigns, counted[0]?.count ?? 0]
}
