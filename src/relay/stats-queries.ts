import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { SENDING_STATUSES } from '../automation-engine/index.ts'
import { IS_PENDING } from '../outbox/index.ts'
import { NEEDS_DECISION } from '../messages/index.ts'

/** Numbers that operators watch. Each is read from an index, or counted when it happens. */
export interface OperationalStats {
  enrolled: number
  completed: number
  paused: number
  unconfirmed: number
  /** Pending deliveries to Temporal, by kind. */
  undelivered: number
  /** Seconds since the oldest of these became due. */
  oldestUndelivered: number
  changes: number
}

export async function readOperationalStats(em: EntityManager): Promise<OperationalStats> {
  const [row] = await sql<OperationalStats>(em, READ)
  if (!row) throw new Error('The stats query returned no row')
  return row
}

const READ = `
select
  counts.enrolled::float8 as enrolled, counts.completed::float8 as completed,
  (select count(*) from enrollments join automations on automations.id = automation_id
   where paused and automations.status not in ${SENDING_STATUSES})::float8 as paused,
  (select count(*) from messages message where ${NEEDS_DECISION})::float8 as unconfirmed,
  events.undelivered::float8 as undelivered,
  greatest(coalesce(extract(epoch from now() - events.oldest), 0), 0)::float8 as "oldestUndelivered",
  (select count(*) from outbox where kind not in ('START', 'NOTICE', 'RESET_DONE', 'INVITATION') and ${IS_PENDING})::float8 as changes
from
  (select coalesce(sum(enrolled), 0) as enrolled, coalesce(sum(completed), 0) as completed from automation_counts) counts,
  (select count(*) as undelivered, min(created_at) as oldest from outbox where kind = 'START') events`
