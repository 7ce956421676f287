import assert from 'node:assert/strict'
import { isConflict } from '../../src/platform/db/errors.ts'
import type { EntityManager } from '../../src/platform/db/orm.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { recountPositions } from '../../src/enrollments/index.ts'
import { type CounterDifference, counterDifferences, recountCounters } from '../../src/stats/index.ts'

const SUBJECTS = `
select $1::uuid as id union all select id from automations where workspace_id = $1::uuid
union all select id from campaigns where workspace_id = $1::uuid`

class Undo extends Error {}

interface Position {
  id: string
  next_step_id: string | null
  wakes_at: string
}

/** Seconds by which a recorded time may differ from the one that is computed from the results of steps. */
const CLOCK_SECONDS = 10

/** Compares where active enrollments are with what the results of their steps say. */
async function assertPositionsMatch(unit: EntityManager, workspaceId: string | undefined): Promise<void> {
  const read = () =>
    sql<Position>(
      unit,
      `select id, next_step_id, wakes_at from enrollments
       where status = 'ACTIVE' and ($1::uuid is null or workspace_id = $1::uuid) order by id`,
      [workspaceId ?? null],
    )
  const kept = await read()
  await recountPositions(unit)
  const counted = new Map((await read()).map((position) => [position.id, position]))
  for (const { id, next_step_id, wakes_at } of kept) {
    const { next_step_id: stepId, wakes_at: at } = counted.get(id)!
    assert.equal(next_step_id, stepId, `the next step of the enrollment ${id}`)
    const seconds = Math.abs(Date.parse(wakes_at) - Date.parse(at)) / 1_000
    assert.ok(seconds <= CLOCK_SECONDS, `the enrollment ${id} continues at ${wakes_at} instead of ${at}`)
  }
}

/**
 * Compares the counters with the enrollments, step runs and messages.
 * @param workspaceId limits it to one workspace: tests of others write rows that are not counted
 */
export async function assertCountersMatch(em: EntityManager, workspaceId?: string): Promise<void> {
  const subjects = workspaceId === undefined ? [] : await sql<{ id: string }>(em.fork(), SUBJECTS, [workspaceId])
  const own = new Set(subjects.map(({ id }) => id))
  const isOwn = ({ counter }: CounterDifference) => workspaceId === undefined || own.has(counter.split(' ')[1]!)
  assert.deepEqual((await counterDifferences(em)).filter(isOwn), [])
  const undone = await em
    .fork()
    .transactional(async (unit) => {
      await sql(unit, 'lock table enrollments, step_runs in share row exclusive mode')
      await assertPositionsMatch(unit, workspaceId)
      throw new Undo()
    })
    .catch((error: unknown) => error)
  // A worker that still writes may lock the tables in another order.
  if (isConflict(undone)) return assertCountersMatch(em, workspaceId)
  if (!(undone instanceof Undo)) throw undone
}

/** Counts everything again, after statements of a test that are not counted. Workers wait until it is done. */
export const recount = (em: EntityManager): Promise<void> =>
  em.fork().transactional(async (unit) => {
    await sql(unit, 'lock table enrollments, step_runs, messages, refused_entries in share row exclusive mode')
    await recountCounters(unit)
  })
