import assert from 'node:assert/strict'
import { isConflict } from '../../src/platform/db/errors.ts'
import type { EntityManager } from '../../src/platform/db/orm.ts'
import { sql } from '../../src/platform/db/sql.ts'

const WAKES = `select * from next_wakes order by enrollment_id`
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

const COLUMNS = [
  ...['sent', 'hard_bounced', 'soft_bounced', 'blocked', 'complained', 'unsubscribed', 'opened', 'clicked'],
  'machine_opened',
]
const DOMAINS = `
select workspace_id, domain, day, ${COLUMNS.map((column) => `sum(${column})::integer as ${column}`).join(', ')} from (
  select workspace_id, domain, day, ${COLUMNS.join(', ')} from domain_days
  union all
  select workspace_id, of_domain, day, ${COLUMNS.join(', ')}
  from domain_changes cross join lateral (values (domain), ('')) domains (of_domain)
) changes
group by 1, 2, 3 having ${COLUMNS.map((column) => `sum(${column}) <> 0`).join(' or ')} order by 1, 2, 3`
const LINKS = `
select automation_id, step_id, url, sum(clicks)::integer as clicks from (
  select automation_id, step_id, url, clicks from link_clicks
  union all select automation_id, step_id, url, change from link_changes
) changes
group by 1, 2, 3 having sum(clicks) <> 0 order by 1, 2, 3`

const TABLES =
  'enrollments, refused_entries, step_runs, messages, bounces, unsubscribes, message_visits, next_wakes, counter_changes, ' +
  'step_counters, flow_counters, domain_changes, domain_days, link_changes, link_clicks'

class Undo extends Error {}

/** Compares the counters that triggers maintain with the enrollments, step runs and messages. */
export async function assertCountersMatch(em: EntityManager): Promise<void> {
  const undone = await em
    .fork()
    .transactional(async (unit) => {
      await sql(unit, `lock table ${TABLES} in share row exclusive mode`)
      const read = async () => ({
        wakes: await sql(unit, WAKES),
        steps: await sql(unit, STEPS),
        flow: await sql(unit, FLOW),
        domains: await sql(unit, DOMAINS),
        links: await sql(unit, LINKS),
      })
      const kept = await read()
      await sql(unit, 'select rebuild_counters()')
      assert.deepEqual(kept, await read())
      throw new Undo()
    })
    .catch((error: unknown) => error)
  // A worker that still writes may lock the tables in another order.
  if (isConflict(undone)) return assertCountersMatch(em)
  if (!(undone instanceof Undo)) throw undone
}
