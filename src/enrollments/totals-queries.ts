import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql } from '../platform/db/sql.ts'

/**
 * Adds enrollments to the totals of their automations, which erasures do not reduce.
 *
 * @param added.enrolled the automation of each new enrollment
 * @param added.completed the automation of each enrollment that was completed
 */
export async function addTotals(
  em: EntityManager,
  { enrolled, completed }: { enrolled: readonly string[]; completed: readonly string[] },
): Promise<void> {
  if (enrolled.length + completed.length > 0) await preparedSql(em, 'add-totals', ADD, [enrolled, completed])
}

const ADD = `
insert into automation_counts as counts (automation_id, enrolled, completed)
select automation_id, sum(enrolled), sum(completed) from (
  select automation_id, 1 as enrolled, 0 as completed from unnest($1::uuid[]) as automation_id
  union all
  select automation_id, 0, 1 from unnest($2::uuid[]) as automation_id
) added
group by automation_id order by automation_id
on conflict (automation_id) do update set
  enrolled = counts.enrolled + excluded.enrolled, completed = counts.completed + excluded.completed`
