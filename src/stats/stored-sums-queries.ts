import { DOMAIN_COLUMNS } from '../counters/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** Reads all counters, with the changes that are not added up yet, by the kind of counter, what it is about, and its name. */
export async function storedSums(em: EntityManager): Promise<Map<string, number>> {
  const rows = await sql<{ key: string; sum: number }>(em, SUMS)
  return new Map(rows.map(({ key, sum }) => [key, sum]))
}

const DOMAINS = DOMAIN_COLUMNS.map((column) => `('${column}', ${column})`).join(', ')

const SUMS = `
select key, sum(count)::float8 as sum from (
  select concat_ws(' ', 'step', automation_id, step_id, counter) as key, count from step_counters
  union all
  select concat_ws(' ', 'step', automation_id, step_id, counter), change from counter_changes
  union all
  select concat_ws(' ', 'flow', subject, counter, extract(epoch from at)::bigint), count from flow_counters
  union all
  select concat_ws(' ', 'flow', workspace_id, counter, extract(epoch from at)::bigint), change from counter_changes
  union all
  select concat_ws(' ', 'flow', automation_id, counter, extract(epoch from date_trunc('hour', at, 'UTC'))::bigint), change
  from counter_changes where counter not in ('WAITING', 'PAUSED')
  union all
  select concat_ws(' ', 'domain', workspace_id, domain, day, name), count
  from domain_days cross join lateral (values ${DOMAINS}) columns (name, count)
  union all
  select concat_ws(' ', 'domain', workspace_id, of_domain, day, name), count
  from domain_changes cross join lateral (values (domain), ('')) domains (of_domain)
  cross join lateral (values ${DOMAINS}) columns (name, count)
  union all
  select concat_ws(' ', 'link', automation_id, step_id, url), clicks from link_clicks
  union all
  select concat_ws(' ', 'link', automation_id, step_id, url), change from link_changes
) sums
group by key having sum(count) <> 0`
