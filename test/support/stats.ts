import assert from 'node:assert/strict'
import type { EntityManager } from '../../src/platform/db/orm.ts'
import { sql } from '../../src/platform/db/sql.ts'

const WAKES = `select * from next_wakes order by enrollment_id`
const STEPS = `
select automation_id, step_id, figure, sum(count)::integer as count from (
  select automation_id, step_id, figure, count from step_figures
  union all select automation_id, step_id, figure, change from figure_changes
) changes
group by 1, 2, 3 having sum(count) <> 0 order by 1, 2, 3`
const FLOW = `
select subject, figure, at, sum(count)::integer as count from (
  select subject, figure, at, count from flow_figures
  union all select workspace_id, figure, at, change from figure_changes
  union all
  select automation_id, figure, date_trunc('hour', at, 'UTC'), change from figure_changes where figure not in ('WAITING', 'PAUSED')
) changes
group by 1, 2, 3 having sum(count) <> 0 order by 1, 2, 3`

const TABLES = 'enrollments, messages, next_wakes, figure_changes, step_figures, flow_figures'

class Undo extends Error {}

/** Compares the counters that triggers maintain with the enrollments and messages. */
export async function assertFiguresTrue(em: EntityManager): Promise<void> {
  const undone = await em
    .fork()
    .transactional(async (unit) => {
      await sql(unit, `lock table ${TABLES} in share row exclusive mode`)
      const read = async () => ({
        wakes: await sql(unit, WAKES),
        steps: await sql(unit, STEPS),
        flow: await sql(unit, FLOW),
      })
      const kept = await read()
      await sql(unit, 'select rebuild_figures()')
      assert.deepEqual(kept, await read())
      throw new Undo()
    })
    .catch((error: unknown) => error)
  if (!(undone instanceof Undo)) throw undone
}
