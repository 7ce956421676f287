import type { AutomationStatus, EnrollmentStatus, StepResult, StoredStep } from '../automation-engine/index.ts'
import type { EventOrCondition, ExitRule } from '../automations/index.ts'
import { archiveCounts, CounterChanges, writeCounterChanges } from '../counters/index.ts'
import type { KeyedEnrollment } from '../enrollments/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { inTransaction, pipelined, preparedSql, sql, toDate, toObjects } from '../platform/db/sql.ts'

/** A step of an enrollment, with everything that its run needs. */
export interface StepContext extends KeyedEnrollment {
  workspaceId: string
  automationId: string
  contactId: string
  enrollmentId: string
  enrollmentStatus: EnrollmentStatus
  automationStatus: AutomationStatus
  version: number
  /** The number of automations that caused each other and this enrollment. */
  depth: number
  /** When the contact entered, or had the event that enrolled them, if that was earlier. */
  since: Date
  /** The event that enrolled them. */
  event: { name: string; data: unknown } | null
  triggerEventId: string | null
  exitOn: readonly ExitRule[]
  goal: EventOrCondition | null
  contact: { email: string; firstName: string | null; metadata: Record<string, unknown>; createdAt: Date }
  /** The workspace's time zone. */
  timezone: string
  /** The data that earlier steps saved, by name. */
  stepData: Record<string, unknown>
  /** `null` if the version has no such step. */
  step: StoredStep | null
  /** The present run of the step, if it has begun. */
  startedAt: Date | null
  until: Date | null
  attempts: number | null
  finishedAt: Date | null
  result: StepResult | null
}

/** Reads a step. @returns `undefined` if the enrollment, its automation or its contact is deleted */
export async function readStepContext(
  em: EntityManager,
  enrollmentId: string,
  stepId: string,
): Promise<StepContext | undefined> {
  const rows = await preparedSql(em, 'read-step-context', CONTEXT, [enrollmentId, stepId])
  type Row = Omit<StepContext, 'contact'> & {
    email: string
    firstName: string | null
    metadata: Record<string, unknown>
    createdAt: Date
  }
  const [row] = toObjects<Row>(rows, 'since', 'createdAt', 'startedAt', 'until', 'finishedAt')
  if (!row) return undefined
  const { email, firstName, metadata, createdAt, ...context } = row
  return { ...context, contact: { email, firstName, metadata, createdAt } }
}

const CONTEXT = `
select enrollment.id as enrollment_id, enrollment.workspace_id, enrollment.automation_id, enrollment.contact_id,
  enrollment.status as enrollment_status, enrollment.version, enrollment.depth, enrollment.event,
  enrollment.concurrency_key, enrollment.key_path,
  automation.status as automation_status, version.exit_on, version.goal, trigger_event.id as trigger_event_id,
  least(enrollment.enrolled_at, trigger_event.created_at) as since,
  contact.email, contact.first_name, contact.metadata, contact.created_at, workspace.timezone,
  coalesce((
    select jsonb_object_agg(save_as, output order by finished_at) from step_runs
    where enrollment_id = enrollment.id and save_as is not null and finished_at is not null
  ), '{}') as step_data,
  (select step from jsonb_array_elements(version.steps) step where step ->> 'id' = $2::uuid::text) as step,
  run.started_at, run.until, run.attempts, run.finished_at, run.result
from enrollments enrollment
join automations automation on automation.id = enrollment.automation_id and automation.deleted_at is null
join contacts contact on contact.id = enrollment.contact_id
join workspaces workspace on workspace.id = enrollment.workspace_id
join automation_versions version
  on version.automation_id = enrollment.automation_id and version.version = enrollment.version
left join trigger_events trigger_event on enrollment.dedup_key = 'event:' || trigger_event.id
  and trigger_event.id = case when enrollment.dedup_key like 'event:%' then substr(enrollment.dedup_key, 7)::uuid end
left join step_runs run on run.enrollment_id = enrollment.id and run.step_id = $2::uuid
where enrollment.id = $1::uuid`

/** The first columns of a run. */
const keyOf = ({ enrollmentId, step, workspaceId, automationId, contactId, version }: StepContext) => [
  enrollmentId,
  step!.id,
  workspaceId,
  automationId,
  contactId,
  version,
  step!.type,
]

/** The end of a step's run. */
export interface FinishedRun {
  result: StepResult
  /** The facts on which it was decided. */
  detail: Record<string, unknown>
  /** The name and the value under which later steps find its response. */
  saved?: { as: string; output: unknown }
}

/**
 * Records the result of a step, once.
 *
 * Race: Temporal repeats an activity while its first attempt is still running. Guard: the first result that is recorded counts.
 * Test: test/steps/branches.test.ts.
 *
 * @returns the recorded result
 */
export const finishRun = (
  em: EntityManager,
  context: StepContext,
  { result, detail, saved }: FinishedRun,
): Promise<StepResult> =>
  pipelined(em, async (unit) => {
    const [row] = await preparedSql<RunChange & { result: StepResult }>(unit, 'finish-step-run', FINISH, [
      ...keyOf(context),
      JSON.stringify(result),
      JSON.stringify(detail),
      saved?.as ?? null,
      saved === undefined ? null : JSON.stringify(saved.output),
    ])
    return async () => {
      await countRuns(unit, [row!], 1)
      return row!.result
    }
  })

const FINISH = `
insert into step_runs as run
  (enrollment_id, step_id, workspace_id, automation_id, contact_id, version, type, finished_at, result, detail, save_as, output)
values ($1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::uuid, $6::integer, $7, now(), $8::jsonb, $9::jsonb, $10, $11::jsonb)
on conflict (enrollment_id, step_id) do update set
  finished_at = coalesce(run.finished_at, excluded.finished_at),
  result = coalesce(run.result, excluded.result),
  detail = case when run.finished_at is null then run.detail || excluded.detail else run.detail end,
  save_as = case when run.finished_at is null then excluded.save_as else run.save_as end,
  output = case when run.finished_at is null then excluded.output else run.output end
returning new.result, new.workspace_id, new.automation_id, new.step_id,
  -- Only the attempt that finishes the run counts it.
  case when old.finished_at is null then new.finished_at end as finished_at`

/** A run of a step that is finished or deleted. */
export interface RunChange {
  workspace_id: string
  automation_id: string
  step_id: string
  /** `null` if it is not to be counted. */
  finished_at: string | null
  result: StepResult | null
}

/** Counts how many contacts passed a step that is not an email, and by which branch: `PASSED`, or `PASSED else`. */
export async function countRuns(em: EntityManager, runs: readonly RunChange[], change: 1 | -1): Promise<void> {
  const changes = new CounterChanges()
  for (const run of runs) addRun(changes, run, change)
  await writeCounterChanges(em, changes)
}

function addRun(
  changes: CounterChanges,
  { workspace_id, automation_id, step_id, finished_at, result }: RunChange,
  change: number,
): void {
  if (finished_at === null || (result?.next !== 'continue' && result?.next !== 'wait')) return
  const key = { workspaceId: workspace_id, automationId: automation_id, stepId: step_id, at: toDate(finished_at) }
  const branch = result.next === 'continue' ? result.branch : undefined
  changes.add(key, branch === undefined ? 'PASSED' : `PASSED ${branch}`, change)
}

/** Counts all runs again. */
export async function recountRuns(em: EntityManager, changes: CounterChanges): Promise<void> {
  const rows = await sql<RunChange & { count: number }>(
    em,
    `select workspace_id, automation_id, step_id, date_bin('15 minutes', finished_at, timestamptz 'epoch') as finished_at,
       jsonb_strip_nulls(jsonb_build_object('next', result -> 'next', 'branch', result -> 'branch')) as result, count(*)::integer
     from step_runs where finished_at is not null group by 1, 2, 3, 4, 5`,
  )
  for (const row of rows) addRun(changes, row, row.count)
}

const DELETED = 'workspace_id, automation_id, step_id, finished_at, result'

/** Deletes the runs of enrollments that are being deleted. The caller has locked these. */
export async function deleteRuns(em: EntityManager, enrollmentIds: readonly string[]): Promise<void> {
  const text = `delete from step_runs where enrollment_id = any($1::uuid[]) returning ${DELETED}`
  await countRuns(em, await sql<RunChange>(em, text, [enrollmentIds]), -1)
}

/**
 * Deletes the runs of a workspace's ended enrollments. Counters stay.
 * @param days that must have passed since they started, and their enrollments ended
 * @returns the number of runs, at most `limit`
 */
export const deleteOldRuns = (em: EntityManager, workspaceId: string, days: number, limit: number): Promise<number> =>
  inTransaction(em, async (unit) => {
    const old = await sql<{ enrollment_id: string; step_id: string }>(unit, OLD_RUNS, [workspaceId, days, limit])
    if (old.length === 0) return 0
    const deleted = await sql<RunChange>(
      unit,
      `delete from step_runs where (enrollment_id, step_id) in (select * from unnest($1::uuid[], $2::uuid[])) returning ${DELETED}`,
      [old.map(({ enrollment_id: id }) => id), old.map(({ step_id: id }) => id)],
    )
    const changes = new CounterChanges()
    for (const run of deleted) addRun(changes, run, -1)
    await archiveCounts(unit, workspaceId, changes)
    return deleted.length
  })

const OLD_RUNS = `
select enrollment_id, step_id from step_runs run
where workspace_id = $1::uuid and started_at <= now() - make_interval(days => $2::integer)
  and exists (select from enrollments where id = run.enrollment_id and ended_at <= now() - make_interval(days => $2::integer))
limit $3 for update skip locked`

/** Deletes the runs of a contact's enrollments. The caller has locked these. */
export async function deleteRunsOf(em: EntityManager, contactId: string): Promise<void> {
  const text = `delete from step_runs where contact_id = $1::uuid returning ${DELETED}`
  await countRuns(em, await sql<RunChange>(em, text, [contactId]), -1)
}

/** Returns the recorded result of a step, if it has one. */
export async function findResult(
  em: EntityManager,
  enrollmentId: string,
  stepId: string,
): Promise<StepResult | undefined> {
  const [row] = await sql<{ result: StepResult | null }>(
    em,
    'select result from step_runs where enrollment_id = $1::uuid and step_id = $2::uuid',
    [enrollmentId, stepId],
  )
  return row?.result ?? undefined
}

/** Begins an attempt of a webhook. @returns its number; `undefined` if the step is finished */
export async function beginAttempt(em: EntityManager, context: StepContext): Promise<number | undefined> {
  const [row] = await preparedSql<{ attempts: number }>(em, 'begin-webhook-attempt', ATTEMPT, [...keyOf(context)])
  return row?.attempts
}

const ATTEMPT = `
insert into step_runs as run
  (enrollment_id, step_id, workspace_id, automation_id, contact_id, version, type, attempts)
values ($1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::uuid, $6::integer, $7, 1)
on conflict (enrollment_id, step_id) do update set attempts = run.attempts + 1, until = null
  where run.finished_at is null
returning attempts`

/** Records that a step waits. @returns the details of the run; `undefined` if it is finished */
export async function recordWait(
  em: EntityManager,
  context: StepContext,
  {
    until,
    eventKey = null,
    filter = null,
    detail = {},
  }: {
    until: Date
    eventKey?: string | null
    filter?: Record<string, unknown> | null
    detail?: Record<string, unknown>
  },
): Promise<Record<string, unknown> | undefined> {
  const [row] = await preparedSql<{ detail: Record<string, unknown> }>(em, 'record-step-wait', WAIT, [
    ...keyOf(context),
    until.toISOString(),
    eventKey,
    filter === null ? null : JSON.stringify(filter),
    JSON.stringify(detail),
  ])
  return row?.detail
}

const WAIT = `
insert into step_runs as run
  (enrollment_id, step_id, workspace_id, automation_id, contact_id, version, type, until, event_key, filter, detail)
values ($1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::uuid, $6::integer, $7, $8::timestamptz, $9, $10::jsonb, $11::jsonb)
on conflict (enrollment_id, step_id) do update set until = excluded.until,
  detail = run.detail || excluded.detail
  where run.finished_at is null
returning run.detail`

/** Ends the waits of steps at a time. Ended waits keep theirs. */
export async function endRunWaits(em: EntityManager, enrollmentIds: readonly string[], until: Date): Promise<void> {
  await sql(
    em,
    `update step_runs set until = $2::timestamptz
     where enrollment_id = any($1::uuid[]) and finished_at is null and until > $2::timestamptz`,
    [enrollmentIds, until.toISOString()],
  )
  // A WAIT_UNTIL is finished when its end is known.
  await sql(
    em,
    `update step_runs set result = jsonb_set(result, '{until}', to_jsonb($2::float8))
     where enrollment_id = any($1::uuid[]) and result ->> 'next' = 'wait' and (result ->> 'until')::float8 > $2::float8`,
    [enrollmentIds, until.getTime()],
  )
}

/** Records the event that ends the wait of a step. The first one counts. @returns whether it is the first */
export async function recordReceived(
  em: EntityManager,
  { enrollmentId, stepId }: WaitingStep,
  eventId: string,
): Promise<boolean> {
  const recorded = await sql(
    em,
    `update step_runs set detail = jsonb_build_object('eventId', $3::text) || detail
     where enrollment_id = $1::uuid and step_id = $2::uuid and finished_at is null and not detail ? 'eventId' returning 1`,
    [enrollmentId, stepId, eventId],
  )
  return recorded.length > 0
}

/** A step that waits for an event. */
export interface WaitingStep extends KeyedEnrollment {
  enrollmentId: string
  stepId: string
  automationId: string
  filter: Record<string, unknown> | null
}

/** Reads the steps that wait for an event of a contact. @param eventKey see `eventKeyOf` */
export async function waitingSteps(em: EntityManager, contactId: string, eventKey: string): Promise<WaitingStep[]> {
  const rows = await sql(
    em,
    `select run.enrollment_id, run.step_id, run.automation_id, enrollment.concurrency_key, enrollment.key_path, run.filter
     from step_runs run
     join enrollments enrollment on enrollment.id = run.enrollment_id and enrollment.status = 'ACTIVE'
     where run.contact_id = $1::uuid and run.event_key = $2 and run.finished_at is null order by run.enrollment_id`,
    [contactId, eventKey],
  )
  return toObjects<WaitingStep>(rows)
}

/** An event that a step may have waited for. */
export interface CandidateEvent {
  id: string
  data: unknown
}

/** Reads a contact's events of a name since a time, oldest first, without the one that started the enrollment. */
export async function eventsSince(
  em: EntityManager,
  { contactId, since, triggerEventId }: Pick<StepContext, 'contactId' | 'since' | 'triggerEventId'>,
  nameKey: string,
  limit: number,
): Promise<CandidateEvent[]> {
  return sql<CandidateEvent>(
    em,
    `select id, data from trigger_events
     where contact_id = $1::uuid and type = 'EVENT' and name_key = $2 and created_at >= $3::timestamptz
       and id is distinct from $4::uuid
     order by created_at desc, id limit $5`,
    [contactId, nameKey, since.toISOString(), triggerEventId, limit],
  )
}
