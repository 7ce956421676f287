import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toObjects } from '../platform/db/sql.ts'
import { NIL_ID } from '../platform/ids.ts'
import { type ContactInAutomation, contactInAutomationColumns, type Place } from '../automation-engine/index.ts'

/**
 * Kinds of deliveries:
 * - START: delivers a trigger event to an automation for a contact. It starts an enrollment, or the current one receives it
 * - WAKE: makes an enrollment check its automation again
 * - CANCEL: cancels the workflow, whichever it is, of a contact in an automation
 * - END: cancels the workflow of one enrollment, and no other
 * - LEAVE: ends the workflow of one enrollment that reached its goal or left by a rule
 * - SKIP: ends the wait of one enrollment early, in a test workspace
 * - RETRY: retries a message as requested
 * - CAMPAIGN: makes a campaign check what to do next after it was scheduled, paused, resumed or cancelled
 * - MOVE_CLOCK: tells the enrollments of a test workspace that its clock moved, in pages
 * - WAKE_PAUSED: wakes all paused enrollments of an automation, in pages
 * - WAKE_RETRIES: enqueues the pending retries of an automation again, in pages
 * - MOVE: moves or ends the enrollments of older versions after a publication, in pages
 * - DELETE_AUTOMATION: ends all enrollments of a deleted automation, in pages
 * - IMPORT: imports an uploaded file, in chunks
 * - REHEARSE: rehearses an automation for many contacts, in pages
 * - BOUNCE: records a bounce if the mail server rejected an email because of its recipient
 * - ERASE: deletes the last messages of an erased contact when they are final
 * - RECONCILE: compares the enrollments that should have a workflow with Temporal, in pages, repeatedly
 * - REDELIVER: delivers lost events again that Temporal has received without any effect, in pages, repeatedly
 * - NOTICE: sends an email to a member: about a webhook that Dripline disabled, or with a link that resets a password
 * - RESET_DONE: tells a person that their password was reset
 * - INVITATION: sends a person the link of an invitation
 */
export type DeliveryKind =
  | 'START'
  | 'WAKE'
  | 'CANCEL'
  | 'END'
  | 'LEAVE'
  | 'SKIP'
  | 'RETRY'
  | 'CAMPAIGN'
  | 'MOVE_CLOCK'
  | 'WAKE_PAUSED'
  | 'WAKE_RETRIES'
  | 'MOVE'
  | 'DELETE_AUTOMATION'
  | 'IMPORT'
  | 'REHEARSE'
  | 'BOUNCE'
  | 'ERASE'
  | 'RECONCILE'
  | 'REDELIVER'
  | 'NOTICE'
  | 'RESET_DONE'
  | 'INVITATION'

/** Standing jobs: one of each for all workspaces, repeated forever. */
export const STANDING_JOBS = ['RECONCILE', 'REDELIVER'] as const satisfies DeliveryKind[]
export type StandingJob = (typeof STANDING_JOBS)[number]

const STANDING_KINDS = STANDING_JOBS.map((kind) => `'${kind}'`).join(', ')
/** SQL condition on an `outbox` row: whether it is pending and not a standing job. */
export const IS_PENDING = `kind not in (${STANDING_KINDS})`

/** Lanes are processed separately, so that neither bulk operations nor long batch jobs delay interactive requests. */
export type Lane = 'interactive' | 'bulk' | 'batch' | 'mail'
export const LANES: readonly Lane[] = ['interactive', 'bulk', 'batch', 'mail']

const LANE_OF = {
  START: 'interactive',
  WAKE: 'interactive',
  CANCEL: 'interactive',
  END: 'interactive',
  LEAVE: 'interactive',
  SKIP: 'interactive',
  RETRY: 'interactive',
  CAMPAIGN: 'interactive',
  MOVE_CLOCK: 'batch',
  WAKE_PAUSED: 'batch',
  WAKE_RETRIES: 'batch',
  MOVE: 'batch',
  DELETE_AUTOMATION: 'batch',
  IMPORT: 'batch',
  REHEARSE: 'batch',
  BOUNCE: 'batch',
  ERASE: 'batch',
  RECONCILE: 'batch',
  REDELIVER: 'batch',
  NOTICE: 'mail',
  RESET_DONE: 'mail',
  INVITATION: 'mail',
} as const satisfies Record<DeliveryKind, Lane>

export interface Delivery {
  /** The ID from Postgres, as text. */
  id: string
  kind: DeliveryKind
  workspaceId: string | null
  automationId: string | null
  contactId: string | null
  /** Empty for none: see `enrollmentWorkflowId`. */
  concurrencyKey: string
  eventId: string | null
  enrollmentId: string | null
  messageId: string | null
  campaignId: string | null
  accountId: string | null
  webhookId: string | null
  invitationId: string | null
  importId: string | null
  rehearsalId: string | null
  afterId: string | null
  generation: number
  attempts: number
}

/**
 * Seconds for which a delivery belongs to the process that wrote or took it. If that process dies, the delivery is delayed by
 * this long.
 */
const WRITER_LEASE_SECONDS = 5
const LEASE_SECONDS = 30

/** Seconds between two attempts at a delivery: doubled from the first to the longest. */
const FIRST_PAUSE_SECONDS = 1
const MAX_PAUSE_SECONDS = 300

/** Columns of a {@link Delivery}, for a row `delivery`. */
const DELIVERY_COLUMNS = `
delivery.id, delivery.kind, delivery.workspace_id, delivery.automation_id, delivery.contact_id, delivery.concurrency_key, delivery.event_id,
delivery.enrollment_id, delivery.message_id, delivery.campaign_id, delivery.account_id, delivery.webhook_id, delivery.invitation_id, delivery.import_id, delivery.rehearsal_id, delivery.after_id, delivery.generation, delivery.attempts`

/**
 * Enqueues a delivery in the transaction that causes it. A delivery that is enqueued again starts over: an attempt in progress
 * for the earlier one does not complete it.
 *
 * @param delaySeconds seconds for which the relay leaves it to the caller
 */
export async function enqueue(
  em: EntityManager,
  delivery:
    | { kind: 'WAKE_PAUSED' | 'WAKE_RETRIES' | 'MOVE' | 'DELETE_AUTOMATION'; automationId: string }
    | ({ kind: 'WAKE' | 'CANCEL' } & Place)
    | { kind: 'ERASE'; contactId: string }
    | { kind: 'MOVE_CLOCK'; workspaceId: string }
    | { kind: StandingJob },
  delaySeconds = 0,
): Promise<void> {
  const automationId = 'automationId' in delivery ? delivery.automationId : null
  const contactId = 'contactId' in delivery ? delivery.contactId : null
  const concurrencyKey = 'concurrencyKey' in delivery ? delivery.concurrencyKey : ''
  const owner = 'workspaceId' in delivery ? delivery.workspaceId : null
  const key = [owner, automationId, contactId, concurrencyKey].filter((part) => part !== null && part !== '').join(' ')
  await sql(em, ENQUEUE, [
    delivery.kind,
    key,
    LANE_OF[delivery.kind],
    owner ?? (await workspaceOf(em, automationId, contactId)),
    automationId,
    contactId,
    delaySeconds,
    concurrencyKey,
  ])
}

async function workspaceOf(
  em: EntityManager,
  automationId: string | null,
  contactId: string | null,
): Promise<string | null> {
  const [row] = await sql<{ workspace_id: string | null }>(
    em,
    `select coalesce(
       (select workspace_id from automations where id = $1::uuid), (select workspace_id from contacts where id = $2::uuid)
     ) as workspace_id`,
    [automationId, contactId],
  )
  return row?.workspace_id ?? null
}

const ENQUEUE = `
insert into outbox as delivery (kind, key, lane, workspace_id, automation_id, contact_id, due_at, concurrency_key)
values ($1, $2, $3, $4::uuid, $5::uuid, $6::uuid, now() + make_interval(secs => $7::float8), $8)
on conflict (kind, key) do update
  set generation = delivery.generation + 1, attempts = 0, after_id = null, due_at = excluded.due_at
  -- A worker that starts does not restart a standing job.
  where delivery.${IS_PENDING}`

/** A delivery that concerns one contact in one automation. */
export type NewDelivery = Place & { workspaceId: string } & (
    | { kind: 'START'; eventId: string; enrollmentId: string }
    | { kind: 'END' | 'LEAVE' | 'SKIP'; enrollmentId: string }
    | { kind: 'CANCEL' | 'WAKE' }
  )

/** Returns the key of a delivery: enqueuing the same key again replaces the pending one. */
function keyOf(delivery: NewDelivery): string {
  switch (delivery.kind) {
    case 'START':
      return `${delivery.eventId} ${delivery.automationId}`
    case 'END':
    case 'LEAVE':
    case 'SKIP':
      return delivery.enrollmentId
    case 'CANCEL':
    case 'WAKE':
      return [delivery.automationId, delivery.contactId, delivery.concurrencyKey].filter(Boolean).join(' ')
  }
}

/**
 * Enqueues deliveries for the caller to deliver after the commit. The relay delivers those that the caller has not delivered
 * within a few seconds.
 */
export async function enqueueForCaller(em: EntityManager, deliveries: readonly NewDelivery[]): Promise<Delivery[]> {
  if (deliveries.length === 0) return []
  const text = `${ENQUEUE_MANY} returning ${DELIVERY_COLUMNS}`
  return toObjects<Delivery>(await sql(em, text, rowsOf(deliveries, 'interactive', WRITER_LEASE_SECONDS)))
}

/** Enqueues deliveries for the relay, in the bulk lane. */
export async function enqueueForRelay(em: EntityManager, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length > 0) await sql(em, ENQUEUE_MANY, rowsOf(deliveries, 'bulk', 0))
}

const rowsOf = (deliveries: readonly NewDelivery[], lane: Lane, delaySeconds: number): unknown[] => [
  lane,
  delaySeconds,
  deliveries.map(({ kind }) => kind),
  deliveries.map(keyOf),
  deliveries.map(({ workspaceId }) => workspaceId),
  deliveries.map(({ automationId }) => automationId),
  deliveries.map(({ contactId }) => contactId),
  deliveries.map((delivery) => (delivery.kind === 'START' ? delivery.eventId : null)),
  deliveries.map((delivery) => ('enrollmentId' in delivery ? delivery.enrollmentId : null)),
  deliveries.map(({ concurrencyKey }) => concurrencyKey),
]

/** Sorted by key, so that concurrent calls lock rows in one order. */
const ENQUEUE_MANY = `
insert into outbox as delivery
  (kind, key, lane, workspace_id, automation_id, contact_id, event_id, enrollment_id, concurrency_key, due_at)
select kind, key, $1, workspace_id, automation_id, contact_id, event_id, enrollment_id, concurrency_key, now() + make_interval(secs => $2::float8)
from unnest($3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::uuid[], $8::uuid[], $9::uuid[], $10::text[])
  as item(kind, key, workspace_id, automation_id, contact_id, event_id, enrollment_id, concurrency_key)
order by kind, key
on conflict (kind, key) do update set generation = delivery.generation + 1, attempts = 0, due_at = excluded.due_at`

/** Deletes the pending starts of an automation for a contact, so that they no longer start anything. @returns the number */
export async function takeStarts(em: EntityManager, places: readonly ContactInAutomation[]): Promise<number> {
  const rows = await sql(
    em,
    `delete from outbox where kind = 'START'
       and (automation_id, contact_id) in (select * from unnest($1::uuid[], $2::uuid[])) returning id`,
    contactInAutomationColumns(places),
  )
  return rows.length
}

/** Deletes all pending starts of a contact that is being erased. */
export async function deleteStarts(em: EntityManager, contactId: string): Promise<void> {
  await sql(em, `delete from outbox where kind = 'START' and contact_id = $1::uuid`, [contactId])
}

/**
 * Enqueues deliveries that concern a message or a campaign. One that is enqueued again starts over.
 *
 * @param lane `interactive` leaves them to the caller for a few seconds, the others leave them to the relay immediately
 * @returns the deliveries
 */
export async function enqueueEach(
  em: EntityManager,
  kind: 'RETRY' | 'EMAIL' | 'CAMPAIGN' | 'BOUNCE',
  each: readonly { id: string; workspaceId: string }[],
  lane: 'interactive' | 'bulk' | 'batch',
): Promise<Delivery[]> {
  if (each.length === 0) return []
  const rows = await sql(
    em,
    `insert into outbox as delivery (kind, key, lane, workspace_id, ${kind === 'CAMPAIGN' ? 'campaign_id' : 'message_id'}, due_at)
     select $1, id::text, $2, workspace_id, id, now() + make_interval(secs => $3::float8)
     from unnest($4::uuid[], $5::uuid[]) as given(id, workspace_id) order by given.id
     on conflict (kind, key) do update set generation = delivery.generation + 1, attempts = 0, due_at = excluded.due_at
     returning ${DELIVERY_COLUMNS}`,
    [
      kind,
      lane,
      lane === 'interactive' ? WRITER_LEASE_SECONDS : 0,
      each.map(({ id }) => id),
      each.map(({ workspaceId }) => workspaceId),
    ],
  )
  return toObjects<Delivery>(rows)
}

/** The subject of an email to owners, which is one of them: a disabled webhook, or a paused automation or campaign. */
export interface NoticeSubject {
  workspaceId: string
  webhookId?: string
  automationId?: string
  campaignId?: string
}

/**
 * Enqueues emails to owners. While one is pending, another one about the same subject replaces it. The lock order allows this
 * after rows of webhooks, because no other transaction holds these rows and then waits for a webhook.
 */
export async function enqueueNotices(
  em: EntityManager,
  notices: readonly (NoticeSubject & { accountId: string })[],
): Promise<void> {
  if (notices.length === 0) return
  const idsOf = (name: keyof NoticeSubject) => notices.map((notice) => notice[name] ?? null)
  await sql(
    em,
    `insert into outbox as delivery (kind, key, lane, workspace_id, account_id, webhook_id, automation_id, campaign_id)
     select 'NOTICE', coalesce(webhook_id, automation_id, campaign_id) || ' ' || account_id, '${LANE_OF.NOTICE}', given.*
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[])
       as given(workspace_id, account_id, webhook_id, automation_id, campaign_id)
     order by 2
     on conflict (kind, key) do update set generation = delivery.generation + 1, attempts = 0, due_at = excluded.due_at`,
    [
      idsOf('workspaceId'),
      notices.map(({ accountId }) => accountId),
      idsOf('webhookId'),
      idsOf('automationId'),
      idsOf('campaignId'),
    ],
  )
}

/** Enqueues the job that rehearses an automation. */
export async function enqueueRehearsal(
  em: EntityManager,
  { id, workspaceId }: { id: string; workspaceId: string },
): Promise<void> {
  await sql(
    em,
    `insert into outbox (kind, key, lane, workspace_id, rehearsal_id) values ('REHEARSE', $1::text, $2, $3::uuid, $1::uuid)`,
    [id, LANE_OF.REHEARSE, workspaceId],
  )
}

/** Enqueues the job that imports an uploaded file. */
export async function enqueueImport(
  em: EntityManager,
  { id, workspaceId }: { id: string; workspaceId: string },
): Promise<void> {
  await sql(
    em,
    `insert into outbox as delivery (kind, key, lane, workspace_id, import_id) values ('IMPORT', $1::text, $2, $3::uuid, $1::uuid)
     on conflict (kind, key) do update set generation = delivery.generation + 1, attempts = 0, due_at = now()`,
    [id, LANE_OF.IMPORT, workspaceId],
  )
}

/**
 * Enqueues the email with a link that resets a password. While one is pending, another request has no effect.
 * @param accountId of no account if nothing may be sent, so that the request costs the same
 */
export async function enqueuePasswordReset(em: EntityManager, accountId: string): Promise<void> {
  await sql(
    em,
    `insert into outbox (kind, key, lane, account_id) values ('NOTICE', 'reset ' || $1::uuid, '${LANE_OF.NOTICE}', $1::uuid)
     on conflict (kind, key) do nothing`,
    [accountId],
  )
}

/** Enqueues the email that tells a person that their password was reset, in the transaction of the reset. */
export async function enqueueResetDone(em: EntityManager, accountId: string): Promise<void> {
  await sql(
    em,
    `insert into outbox as delivery (kind, key, lane, account_id) values ('RESET_DONE', $1::text, '${LANE_OF.RESET_DONE}', $1::uuid)
     on conflict (kind, key) do update set generation = delivery.generation + 1, attempts = 0, due_at = now()`,
    [accountId],
  )
}

/** Enqueues the email with the link of an invitation, in the transaction that creates it. */
export async function enqueueInvitation(em: EntityManager, invitationId: string): Promise<void> {
  await sql(
    em,
    `insert into outbox (kind, key, lane, invitation_id) values ('INVITATION', $1::text, '${LANE_OF.INVITATION}', $1::uuid)
     on conflict (kind, key) do nothing`,
    [invitationId],
  )
}

/** The turn before the first page. Deliveries without a workspace come first and count as one more workspace. */
export const FIRST_TURN = NIL_ID

/** Deliveries of a lane, and the workspace that had the last turn. The next page begins after it. */
export interface Page {
  deliveries: Delivery[]
  turn: string
}

/**
 * Takes due deliveries of a lane. Concurrent callers get different ones. Workspaces take turns: each gets an equal share of a
 * page, no matter how many deliveries another workspace has pending. If more workspaces have deliveries than fit on a page, the
 * next page begins after the last one.
 *
 * @param after the turn of the previous page
 */
export async function leaseDeliveries(em: EntityManager, lane: Lane, limit: number, after: string): Promise<Page> {
  const parameters = [lane, limit, LEASE_SECONDS, after]
  const rows = toObjects<Delivery & { place: number }>(await preparedSql(em, 'lease-deliveries', LEASE, parameters))
  const lastInTurn = rows.toSorted((a, b) => a.place - b.place).at(-1)
  return { deliveries: rows, turn: lastInTurn ? (lastInTurn.workspaceId ?? NIL_ID) : after }
}

/** The expression of the index `outbox_due`. */
export const TURN = `coalesce(workspace_id, '${NIL_ID}')`

/**
 * A loose index scan: jumps from one workspace to the next, once around, until the page has a place for each workspace found.
 * - `turn`: the workspace of a step
 * - `round`: 0 for the workspaces after the last turn, 1 after starting over from the first one
 * - `place`: how many workspaces with due deliveries were found so far
 */
const LEASE = `
with recursive steps (turn, round, place, has_due) as (
  select $4::uuid, 0, 0, false
  union all
  select next.turn, next.round, steps.place + next.has_due::integer, next.has_due
  from steps cross join lateral (
    select turn, round, exists (
      select from outbox where lane = $1 and ${TURN} = turn and due_at <= now()
    ) as has_due
    from (
      (select ${TURN} as turn, steps.round from outbox where lane = $1 and ${TURN} > steps.turn order by ${TURN} limit 1)
      union all
      (select ${TURN}, 1 from outbox where lane = $1 and steps.round = 0 order by ${TURN} limit 1)
      limit 1
    ) found
    where round = 0 or turn <= $4::uuid
  ) next
  where steps.place < $2
),
due as (
  select candidate.id, turns.place from (select turn, place from steps where has_due) turns cross join lateral (
    select id from outbox where lane = $1 and ${TURN} = turns.turn and due_at <= now() order by due_at
    limit ceil($2::float8 / (select greatest(max(place), 1) from steps))
    for update skip locked
  ) candidate
  limit $2
)
update outbox delivery set due_at = now() + make_interval(secs => $3), attempts = attempts + 1
from due where delivery.id = due.id
returning due.place, ${DELIVERY_COLUMNS}`

/** Completes deliveries that arrived, unless they were enqueued again in the meantime. */
export async function completeDeliveries(em: EntityManager, done: readonly Delivery[]): Promise<void> {
  if (done.length === 0) return
  await preparedSql(em, 'complete-deliveries', COMPLETE, [
    done.map(({ id }) => id),
    done.map(({ generation }) => generation),
  ])
}

const COMPLETE = `
delete from outbox using unnest($1::bigint[], $2::integer[]) as done(id, generation)
where outbox.id = done.id and outbox.generation = done.generation`

/** Reschedules failed deliveries, each with its own exponential backoff. */
export async function deferDeliveries(em: EntityManager, failed: readonly Delivery[]): Promise<void> {
  if (failed.length === 0) return
  await sql(
    em,
    `update outbox set due_at = now() + make_interval(secs => least($2 * power(2, least(attempts, 20) - 1), $3))
     where id = any($1::bigint[])`,
    [failed.map(({ id }) => id), FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS],
  )
}

/** Leaves deliveries to the relay that the caller will not make, without waiting for the lease to expire. */
export async function leaveToRelay(em: EntityManager, deliveries: readonly Delivery[]): Promise<void> {
  if (deliveries.length === 0) return
  await sql(em, `update outbox set due_at = now() where id = any($1::bigint[])`, [deliveries.map(({ id }) => id)])
}

/** Moves a batch job to its next page, unless it was enqueued again in the meantime and starts over. */
export async function advanceBatchJob(
  em: EntityManager,
  { id, generation }: Delivery,
  afterId: string | null,
  delaySeconds = 0,
): Promise<void> {
  await sql(
    em,
    `update outbox set after_id = $3::uuid, attempts = 0, due_at = now() + make_interval(secs => $4::float8)
     where id = $1::bigint and generation = $2`,
    [id, generation, afterId, delaySeconds],
  )
}

/** Makes deliveries due whose time is implausibly far in the future, because Postgres's clock was set back. */
export async function recoverDeliveries(em: EntityManager, maxMinutes: number): Promise<void> {
  await sql(em, 'update outbox set due_at = now() where due_at > now() + make_interval(mins => $1::integer)', [
    maxMinutes,
  ])
}
