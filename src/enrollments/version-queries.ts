import type { EnrollmentStatus, Place, Stop } from '../automation-engine/index.ts'
import { lockContactsAgainstErasure } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toObjects } from '../platform/db/sql.ts'
import { CHANGED, countChanges, type EnrollmentChange } from './changes-queries.ts'
import type { MovedTo } from './moved-to.ts'
import { PASSED_STEPS, type PassedStep, type StoredPassedStep, toPassed } from './position-queries.ts'

/** The active enrollments of an automation that are in versions before this one. */
export interface Outdated {
  automationId: string
  version: number
}

type OutdatedEnrollment = Place & { id: string }

/** Reads enrollments that are in older versions, in the order of their IDs. */
export async function outdatedPage(
  em: EntityManager,
  { automationId, version }: Outdated,
  afterId: string | null,
  limit: number,
): Promise<OutdatedEnrollment[]> {
  const rows = await sql(
    em,
    `select id, automation_id, contact_id, concurrency_key from enrollments
     where ${OUTDATED} and ($3::uuid is null or id > $3::uuid) order by id limit $4`,
    [automationId, version, afterId, limit],
  )
  return toObjects<OutdatedEnrollment>(rows)
}

/** Counts the enrollments that are in older versions. @param upToId counts only IDs up to this one */
export async function countOutdated(
  em: EntityManager,
  { automationId, version }: Outdated,
  upToId: string | null = null,
): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::integer from enrollments where ${OUTDATED} and ($3::uuid is null or id <= $3::uuid)`,
    [automationId, version, upToId],
  )
  return row!.count
}

const OUTDATED = `automation_id = $1::uuid and status = 'ACTIVE' and version < $2::integer`

/** The place of an enrollment in an older version, and what it has passed. */
export interface OutdatedPosition {
  id: string
  version: number
  nextStepId: string | null
  wakesAt: Date
  movedTo: MovedTo | null
  passed: PassedStep[]
}

/** Reads where enrollments of older versions are, in the order of their IDs. */
export async function outdatedPositions(
  em: EntityManager,
  { automationId, version }: Outdated,
  afterId: string | null,
  limit: number,
): Promise<OutdatedPosition[]> {
  const rows = await sql<{ passed: StoredPassedStep[] | null }>(em, POSITIONS, [automationId, version, afterId, limit])
  const positions = toObjects<Omit<OutdatedPosition, 'passed'>>(rows, 'wakesAt')
  return positions.map((position, n) => ({ ...position, passed: toPassed(rows[n]!.passed) }))
}

const POSITIONS = `
select enrollment.id, version, next_step_id, wakes_at, moved_to, ${PASSED_STEPS} as passed
from enrollments enrollment
where ${OUTDATED} and ($3::uuid is null or enrollment.id > $3::uuid) order by enrollment.id limit $4`

/** A locked enrollment that may move to another version. */
export interface MovableEnrollment {
  status: EnrollmentStatus
  version: number
  nextStepId: string | null
  wakesAt: Date | null
  /** The steps that have a result. */
  passed: string[]
}

/** Locks an enrollment, after its contact. @returns `undefined` if it does not exist */
export async function lockToMove(
  em: EntityManager,
  { id, contactId }: { id: string; contactId: string },
): Promise<MovableEnrollment | undefined> {
  await lockContactsAgainstErasure(em, [contactId])
  const rows = await sql(
    em,
    `select status, version, next_step_id, wakes_at, array(
       select step_id from messages where enrollment_id = $1::uuid and final_at is not null
       union all select step_id from step_runs where enrollment_id = $1::uuid and finished_at is not null
     )::text[] as passed
     from enrollments where id = $1::uuid for no key update`,
    [id],
  )
  return toObjects<MovableEnrollment>(rows, 'wakesAt')[0]
}

/**
 * Sets the version of an enrollment, and where it is in that version.
 *
 * Race: an attempt at an email is stopped after it has prepared the message, the enrollment moves, and the attempt continues. Guard: a
 * claim compares `pause_count`, which this increments. Test: test/publishing/late-attempts.test.ts.
 *
 * @param em a transaction that has locked the enrollment
 * @param paused whether it is still paused, if it was
 */
export async function setVersion(
  em: EntityManager,
  id: string,
  { version, stop, movedTo, paused }: { version: number; stop: Stop; movedTo: MovedTo; paused: boolean },
): Promise<void> {
  const moved = await sql<EnrollmentChange>(
    em,
    `update enrollments set version = $2::integer, next_step_id = $3::uuid, wakes_at = $4::timestamptz,
       paused = paused and $5::boolean, pause_count = pause_count + 1, moved_to = $6::jsonb
     where id = $1::uuid and status = 'ACTIVE' returning ${CHANGED}`,
    [id, version, stop.stepId, stop.at.toISOString(), paused, JSON.stringify(movedTo)],
  )
  await countChanges(em, moved)
}

/** Checks whether an earlier version than that of the enrollment has a step. */
export async function hasPassedVersionWith(em: EntityManager, enrollmentId: string, stepId: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from enrollments enrollment
     join automation_versions earlier
       on earlier.automation_id = enrollment.automation_id and earlier.version < enrollment.version
     where enrollment.id = $1::uuid and earlier.steps @> jsonb_build_array(jsonb_build_object('id', $2::text)) limit 1`,
    [enrollmentId, stepId],
  )
  return rows.length > 0
}
