import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toObjects } from '../platform/db/sql.ts'
import type { AutomationMove } from './entities.ts'

/** A move to start. */
export type NewMove = Pick<
  AutomationMove,
  'automationId' | 'workspaceId' | 'version' | 'inside' | 'removedSteps' | 'total' | 'startedBy'
>

/** Starts a move, in place of an earlier one of the automation. Without enrollments to move, it is finished. */
export async function writeMove(em: EntityManager, move: NewMove): Promise<void> {
  await lockMove(em, move.automationId)
  await sql(
    em,
    `insert into automation_moves (automation_id, workspace_id, version, inside, removed_steps, total, started_by, finished_at)
     values ($1::uuid, $2::uuid, $3::integer, $4, $5, $6::integer, $7, case when $6::integer = 0 then now() end)
     on conflict (automation_id) do update set version = excluded.version, inside = excluded.inside,
       removed_steps = excluded.removed_steps, total = excluded.total, started_by = excluded.started_by,
       started_at = now(), stopped_at = null, finished_at = excluded.finished_at`,
    [move.automationId, move.workspaceId, move.version, move.inside, move.removedSteps, move.total, move.startedBy],
  )
}

/** Reads the last move of an automation, if it is not deleted. */
export async function findMove(em: EntityManager, automationId: string): Promise<AutomationMove | undefined> {
  return read(em, MOVE, automationId)
}

/**
 * Reads a move that continues, and keeps it from being stopped until the transaction ends.
 *
 * Race: a move of many enrollments is stopped. Guard: each shares an advisory lock, and the stop takes it alone. Unlike the lock of a
 * row, it is granted in turn. Test: test/publishing/publishing.test.ts.
 */
export async function lockRunningMove(em: EntityManager, automationId: string): Promise<AutomationMove | undefined> {
  await sql(em, `select pg_advisory_xact_lock_shared(${LOCK})`, [automationId])
  return read(em, `${MOVE} and stopped_at is null`, automationId)
}

const LOCK = `hashtextextended('move ' || $1, 0)`

async function read(em: EntityManager, text: string, automationId: string): Promise<AutomationMove | undefined> {
  const rows = await sql(em, text, [automationId])
  return toObjects<AutomationMove>(rows, 'startedAt', 'stoppedAt', 'finishedAt')[0]
}

const MOVE = `
select move.* from automation_moves move
join automations automation on automation.id = move.automation_id and automation.deleted_at is null
where move.automation_id = $1::uuid`

/** Waits for the enrollments that are moving now. The caller then changes the move, in the same transaction. */
async function lockMove(em: EntityManager, automationId: string): Promise<void> {
  await sql(em, `select pg_advisory_xact_lock(${LOCK})`, [automationId])
}

/** Stops a move. If it is finished, enrollments that are recorded late in the older version stay there. */
export async function writeStop(em: EntityManager, automationId: string): Promise<void> {
  await lockMove(em, automationId)
  await sql(
    em,
    `update automation_moves set stopped_at = coalesce(stopped_at, now())
     where automation_id = $1::uuid`,
    [automationId],
  )
}

/** Resumes a stopped move. @returns whether it was stopped */
export async function writeResume(em: EntityManager, automationId: string): Promise<boolean> {
  const rows = await sql(
    em,
    `update automation_moves set stopped_at = null where automation_id = $1::uuid and stopped_at is not null returning 1`,
    [automationId],
  )
  return rows.length > 0
}

/** Finishes a move, unless a newer publication has replaced it. */
export async function writeFinish(em: EntityManager, { automationId, version, inside }: AutomationMove): Promise<void> {
  await sql(
    em,
    `update automation_moves set finished_at = now()
     where automation_id = $1::uuid and version = $2::integer and inside = $3 and stopped_at is null and finished_at is null`,
    [automationId, version, inside],
  )
}
