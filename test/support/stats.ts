import assert from 'node:assert/strict'
import { isConflict } from '../../src/platform/db/errors.ts'
import type { EntityManager } from '../../src/platform/db/orm.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { DOMAIN_COLUMNS } from '../../src/counters/index.ts'
import { recountPositions } from '../../src/enrollments/index.ts'

const STEPS = `
select automation_id, step_id, counter, sum(count)::integer as count from (
  select automation_id, step_id, counter, count from step_counters
  union all select automation_id, step_id, counter, change from counter_changes
) changes
group by 1, 2, 3 having sum(count) <> 0 order by 1, 2, 3`
const FLOW = `
select subject, counter, at, sum(count)::integer as count from (
  select subject, counter, at, count from flow_counters
  union all select workspace_id, counter, at, change from counter_changes
  union all
  select automation_id, counter, date_trunc('hour', at, 'UTC'), change from counter_changes where counter not in ('WAITING', 'PAUSED')
) changes
group by 1, 2, 3 having sum(count) <> 0 order by 1, 2, 3`

const DOMAINS = `
select workspace_id, domain, day, ${DOMAIN_COLUMNS.map((column) => `sum(${column})::integer as ${column}`).join(', ')} from (
  select workspace_id, domain, day, ${DOMAIN_COLUMNS.join(', ')} from domain_days
  union all
  select workspace_id, of_domain, day, ${DOMAIN_COLUMNS.join(', ')}
  from domain_changes cross join lateral (values (domain), ('')) domains (of_domain)
) changes
group by 1, 2, 3 having ${DOMAIN_COLUMNS.map((column) => `sum(${column}) <> 0`).join(' or ')} order by 1, 2, 3`
const LINKS = `
select automation_id, step_id, url, sum(clicks)::integer as clicks from (
  select automation_id, step_id, url, clicks from link_clicks
  union all select automation_id, step_id, url, change from link_changes
) changes
group by 1, 2, 3 having sum(clicks) <> 0 order by 1, 2, 3`

const TABLES =
  'enrollments, refused_entries, step_runs, messages, bounces, unsubscribes, message_visits, counter_changes, ' +
  'step_counters, flow_counters, domain_changes, domain_days, link_changes, link_clicks'

const SUBJECTS = `
select $1::uuid as id union all select id from automations where workspace_id = $1::uuid
union all select id from campaigns where workspace_id = $1::uuid`

interface Counter {
  automation_id?: string
  subject?: string
  workspace_id?: string
}

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
 * @param workspaceId limits it to one workspace: tests of others change rows that no trigger counts
 */
export async function assertCountersMatch(em: EntityManager, workspaceId?: string): Promise<void> {
  const undone = await em
    .fork()
    .transactional(async (unit) => {
      await sql(unit, `lock table ${TABLES} in share row exclusive mode`)
      const subjects = workspaceId === undefined ? [] : await sql<{ id: string }>(unit, SUBJECTS, [workspaceId])
      const own = new Set<string | undefined>(subjects.map(({ id }) => id))
      const isOwn = (counter: Counter) =>
        workspaceId === undefined || own.has(counter.subject ?? counter.automation_id ?? counter.workspace_id)
      const read = async () => {
        const counters: Counter[][] = []
        for (const query of [STEPS, FLOW, DOMAINS, LINKS])
          counters.push((await sql<Counter>(unit, query)).filter(isOwn))
        return counters
      }
      const kept = await read()
      await sql(unit, 'select rebuild_counters()')
      assert.deepEqual(kept, await read())
      await assertPositionsMatch(unit, workspaceId)
      throw new Undo()
    })
    .catch((error: unknown) => error)
  // A worker that still writes may lock the tables in another order.
  if (isConflict(undone)) return assertCountersMatch(em, workspaceId)
  if (!(undone instanceof Undo)) throw undone
}
