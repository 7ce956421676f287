import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql } from '../platform/db/sql.ts'
import { DOMAIN_COLUMNS } from './changes.ts'

/** Global lock for adding up changes: two concurrent calls would otherwise wait for each other row by row. */
const LOCK = `hashtextextended('fold counters', 0)`

/**
 * Adds changes to the counters: see `CounterChanges`. Readers of counters of steps and intervals also sum the
 * changes that have not been added yet, so they never see outdated numbers.
 *
 * @returns the number of changes of the kind that has most; `limit` if there may be more
 */
export async function foldCounters(em: EntityManager, limit: number): Promise<number> {
  const [counters] = await preparedSql<{ folded: number }>(em, 'fold-counters', FOLD, [limit])
  const [domains] = await preparedSql<{ folded: number; emptied: number }>(em, 'fold-domains', FOLD_DOMAINS, [limit])
  const [links] = await preparedSql<{ folded: number; emptied: number }>(em, 'fold-links', FOLD_LINKS, [limit])
  // Domains and URLs of erased contacts are not kept.
  if (domains?.emptied) await sql(em, 'delete from domain_days where sent = 0 and rejected = 0')
  if (links?.emptied) await sql(em, 'delete from link_clicks where clicks = 0')
  return Math.max(...[counters, domains, links].map((each) => each?.folded ?? 0))
}

const TURN = `turn as materialized (select pg_try_advisory_xact_lock(${LOCK}) as mine)`

/** Deletes the oldest changes from a table, if it is this transaction's turn. */
const takeChanges = (table: 'counter_changes' | 'domain_changes' | 'link_changes'): string => `
  delete from ${table}
  where (select mine from turn)
    and id = any (array(select id from ${table} order by id limit $1::integer for update skip locked))
  returning *`

const FOLD = `
with ${TURN},
gone as (${takeChanges('counter_changes')}),
by_step as (
  insert into step_counters as kept (automation_id, step_id, counter, count)
  select automation_id, step_id, counter, sum(change) from gone
  group by 1, 2, 3 having sum(change) <> 0
  on conflict (automation_id, step_id, counter) do update set count = kept.count + excluded.count
),
flowed as (
  insert into flow_counters as kept (subject, counter, at, count)
  select subject, counter, at, sum(change) from (
    select workspace_id as subject, counter, at, change from gone
    union all
    select automation_id, counter, date_trunc('hour', at, 'UTC'), change from gone where counter not in ('WAITING', 'PAUSED')
  ) changes
  group by 1, 2, 3 having sum(change) <> 0
  on conflict (subject, counter, at) do update set count = kept.count + excluded.count
)
select count(*)::integer as folded from gone`

const sums = (format: (column: string) => string): string => DOMAIN_COLUMNS.map(format).join(', ')

const FOLD_DOMAINS = `
with ${TURN},
gone as (${takeChanges('domain_changes')}),
by_domain as (
  insert into domain_days as kept (workspace_id, domain, day, ${sums((column) => column)})
  select workspace_id, of_domain, day, ${sums((column) => `sum(${column})`)}
  from gone cross join lateral (values (domain), ('')) domains (of_domain)
  group by 1, 2, 3 having ${DOMAIN_COLUMNS.map((column) => `sum(${column}) <> 0`).join(' or ')}
  on conflict (workspace_id, domain, day) do update set ${sums((column) => `${column} = kept.${column} + excluded.${column}`)}
  returning sent, rejected
)
select (select count(*)::integer from gone) as folded, (select count(*)::integer from by_domain where sent = 0 and rejected = 0) as emptied`

const FOLD_LINKS = `
with ${TURN},
gone as (${takeChanges('link_changes')}),
by_link as (
  insert into link_clicks as kept (automation_id, step_id, url_hash, url, clicks)
  select automation_id, step_id, sha256(convert_to(url, 'UTF8')), url, sum(change) from gone
  group by automation_id, step_id, url having sum(change) <> 0
  on conflict (automation_id, step_id, url_hash) do update set clicks = kept.clicks + excluded.clicks
  returning clicks
)
select (select count(*)::integer from gone) as folded, (select count(*)::integer from by_link where clicks = 0) as emptied`
