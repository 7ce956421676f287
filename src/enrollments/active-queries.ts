import type { EntityManager } from '../platform/db/orm.ts'
import { type EnrollmentStatus, type Place, SENDING_STATUSES, type StoredStep } from '../automation-engine/index.ts'
import { Enrollment } from './entities.ts'
import type { MovedTo } from './moved-to.ts'
import { FRESH_READ, sql, unitOf, toObjects } from '../platform/db/sql.ts'

/** An enrollment that should have a workflow, with the data to resume it. */
export interface ActiveEnrollment {
  id: string
  workspaceId: string
  automationId: string
  automationName: string
  contactId: string
  /** Empty if the automation has none. */
  concurrencyKey: string
  dedupKey: string | null
  enrolledAt: Date
  /** Whether its automation sends, that is, is neither paused nor a draft. */
  sends: boolean
}

/**
 * Reads enrollments that have been ACTIVE for a few minutes, in the order of their IDs. @param minutes 0 selects all, regardless
 * of clocks
 */
export async function activePage(
  em: EntityManager,
  afterId: string | null,
  limit: number,
  minutes = 5,
): Promise<ActiveEnrollment[]> {
  const rows = await sql(
    em,
    `${ACTIVE} and ($1::uuid is null or enrollment.id > $1::uuid) 
       and ($3::integer = 0 or recorded_at < now() - make_interval(mins => $3::integer))
     order by enrollment.id limit $2`,
    [afterId, limit, minutes],
  )
  return toObjects<ActiveEnrollment>(rows, 'enrolledAt')
}

/** Reads where the active enrollments of a workspace are, in the order of their IDs. */
export async function activePlaces(
  em: EntityManager,
  workspaceId: string,
  afterId: string | null,
  limit: number,
): Promise<(Place & { id: string })[]> {
  const rows = await sql(
    em,
    `select id, automation_id, contact_id, concurrency_key from enrollments
     where workspace_id = $1::uuid and status = 'ACTIVE' and ($2::uuid is null or id > $2::uuid) order by id limit $3`,
    [workspaceId, afterId, limit],
  )
  return toObjects<Place & { id: string }>(rows)
}

/** Reads the statuses of enrollments. Enrollments that are not recorded are left out. */
export async function statusesOf(em: EntityManager, ids: readonly string[]): Promise<Map<string, EnrollmentStatus>> {
  const rows = await unitOf(em).find(Enrollment, { id: { $in: [...ids] } }, { ...FRESH_READ, fields: ['id', 'status'] })
  return new Map(rows.map(({ id, status }) => [id, status]))
}

/** Reads an enrollment if it is ACTIVE. */
export async function readActive(em: EntityManager, id: string): Promise<ActiveEnrollment | undefined> {
  const rows = await sql(em, `${ACTIVE} and enrollment.id = $1::uuid`, [id])
  return toObjects<ActiveEnrollment>(rows, 'enrolledAt')[0]
}

const ACTIVE = `
select enrollment.id, enrollment.workspace_id, automation_id, automation.name as automation_name, contact_id, concurrency_key, dedup_key, enrolled_at,
  automation.status in ${SENDING_STATUSES} as sends
from enrollments enrollment
join automations automation on automation.id = automation_id and automation.deleted_at is null
where enrollment.status = 'ACTIVE'`

/** The progress of an enrollment, as far as the database knows it. */
export interface KnownProgress {
  steps: readonly StoredStep[]
  movedTo: MovedTo | null
  /** The steps that are done, and when. */
  done: { stepId: string; at: Date }[]
}

/**
 * Reads the steps of an enrollment that are done. An email is done when its message first became final, regardless of later resends. A
 * message that ends the sequence is left out: the sequence reaches its step again, and ends.
 */
export async function readProgress(em: EntityManager, enrollmentId: string): Promise<KnownProgress | undefined> {
  const rows = await sql(
    em,
    `select version.steps, enrollment.moved_to
     from enrollments enrollment
     join automation_versions version
       on version.automation_id = enrollment.automation_id and version.version = enrollment.version
     where enrollment.id = $1::uuid`,
    [enrollmentId],
  )
  const [progress] = toObjects<Omit<KnownProgress, 'done'>>(rows)
  if (!progress) return undefined
  const done = await sql(
    em,
    `select step_id, final_at as at from messages message
     join automations automation on automation.id = message.automation_id
     where enrollment_id = $1::uuid and final_at is not null
       and not (message.status = 'FAILED' and automation.on_send_failure = 'STOP')
     union all
     select step_id, finished_at from step_runs where enrollment_id = $1::uuid and finished_at is not null`,
    [enrollmentId],
  )
  return { ...progress, done: toObjects<KnownProgress['done'][number]>(done, 'at') }
}
