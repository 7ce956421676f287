import { variantOfSql } from '../counters/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import type { Counts } from './counts.ts'

/** SQL that counts campaigns' messages by status and a column: the aggregated counters plus the changes since then. */
const countersBy = (column: 'automation_id' | 'step_id'): string => `
select ${column}, counter, sum(count) as count from (
  select automation_id, step_id, counter, count from step_counters where automation_id = any($1::uuid[])
  union all
  select automation_id, step_id, counter, change from counter_changes where automation_id = any($1::uuid[])
) changes
group by 1, 2 having sum(count) <> 0`

/** Counts the messages of each variant of a campaign, from the counters. */
export async function countsByVariant(em: EntityManager, id: string): Promise<Map<number, Counts>> {
  const rows = await sql<{ variant: number; counts: Counts }>(
    em,
    `select ${variantOfSql('step_id')} as variant, jsonb_object_agg(counter, count) as counts
     from (${countersBy('step_id')}) counters group by 1`,
    [[id]],
  )
  return new Map(rows.map(({ variant, counts }) => [variant, counts]))
}

/** Counts the messages of campaigns, from the counters. */
export async function countsOfCampaigns(em: EntityManager, ids: readonly string[]): Promise<Map<string, Counts>> {
  const rows = await sql<{ id: string; counts: Counts }>(
    em,
    `select automation_id as id, jsonb_object_agg(counter, count) as counts
     from (${countersBy('automation_id')}) counters group by 1`,
    [ids],
  )
  return new Map(rows.map(({ id, counts }) => [id, counts]))
}
