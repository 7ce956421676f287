import type { EntityManager } from '../orm.ts'
import { sql } from '../sql.ts'

/** What operators watch. Each of these is counted by an index, or has been counted when it happened. */
export interface Owed {
  enrolled: number
  completed: number
  held: number
  unconfirmed: number
  undelivered: number
  /** Seconds. */
  oldestUndelivered: number
  changes: number
}

export async function readOwed(em: EntityManager): Promise<Owed> {
  const [row] = await sql<Owed>(em, READ)
  if (!row) throw new Error('The figures returned no row')
  return row
}

const READ = `
select
  counts.enrolled::float8 as enrolled, counts.completed::float8 as completed,
  (select count(*) from enrollments where held)::float8 as held,
  (select count(*) from messages where status = 'UNCONFIRMED')::float8 as unconfirmed,
  events.undelivered::float8 as undelivered,
  coalesce(extract(epoch from now() - events.oldest), 0)::float8 as "oldestUndelivered",
  ((select count(*) from propagations) + (select count(*) from cancellations))::float8 as changes
from
  (select coalesce(sum(enrolled), 0) as enrolled, coalesce(sum(completed), 0) as completed from automation_counts) counts,
  (select count(*) as undelivered, min(created_at) as oldest from trigger_events where delivered_at is null) events`
