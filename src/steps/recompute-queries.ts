import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { countRuns, type FinishedRun, type RunChange } from './queries.ts'

/** Replaces the result of a WAIT_UNTIL that has not ended. */
export async function replaceResult(
  em: EntityManager,
  { enrollmentId, stepId }: { enrollmentId: string; stepId: string },
  { result, detail }: FinishedRun,
): Promise<void> {
  const replaced = await sql<RunChange & { was: RunChange['result'] }>(
    em,
    `update step_runs set result = $3::jsonb, detail = detail || $4::jsonb
     where enrollment_id = $1::uuid and step_id = $2::uuid and result ->> 'next' = 'wait'
     returning new.workspace_id, new.automation_id, new.step_id, new.finished_at, new.result, old.result as was`,
    [enrollmentId, stepId, JSON.stringify(result), JSON.stringify(detail)],
  )
  await countRuns(
    em,
    replaced.map(({ was, ...run }) => ({ ...run, result: was })),
    -1,
  )
  await countRuns(em, replaced, 1)
}

/** A WAIT_FOR_EVENT that waits for another event, or for another time. */
interface ChangedWait {
  enrollmentId: string
  stepId: string
  /** How much longer it waits. */
  minutes: number
  eventKey: string
  filter: Record<string, unknown> | null
}

/** Changes what an unfinished WAIT_FOR_EVENT waits for. An event that ended its wait for another one does not count. */
export async function changeAwaited(
  em: EntityManager,
  { enrollmentId, stepId, minutes, eventKey, filter }: ChangedWait,
): Promise<void> {
  await sql(
    em,
    `update step_runs set until = until + make_interval(mins => $3::integer), event_key = $4, filter = $5::jsonb,
       detail = case when (event_key, filter) is distinct from ($4, $5::jsonb) then detail - 'eventId' else detail end
     where enrollment_id = $1::uuid and step_id = $2::uuid and finished_at is null and until is not null`,
    [enrollmentId, stepId, minutes, eventKey, filter && JSON.stringify(filter)],
  )
}

/** Removes the wait at a WAIT_UNTIL or WAIT_FOR_EVENT that an enrollment leaves before it ends. */
export async function forgetWait(em: EntityManager, enrollmentId: string, stepId: string): Promise<void> {
  const removed = await sql<RunChange>(
    em,
    `delete from step_runs
     where enrollment_id = $1::uuid and step_id = $2::uuid
       and (finished_at is null and until is not null or result ->> 'next' = 'wait')
     returning workspace_id, automation_id, step_id, finished_at, result`,
    [enrollmentId, stepId],
  )
  await countRuns(
    em,
    removed.filter(({ finished_at }) => finished_at !== null),
    -1,
  )
}
