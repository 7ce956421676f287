import { CounterChanges, NO_STEP, writeCounterChanges } from '../counters/index.ts'
import type { Delivery } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { pipelined, sql, toDate } from '../platform/db/sql.ts'

/**
 * Rules that keep a contact out of an automation: its filter, its rule for entering again, a missing or unusable concurrency key,
 * or a loop of automations that start each other.
 */
export const ENTRY_RULES = ['FILTER', 'REENTRY', 'KEY', 'LOOP'] as const
export type EntryRule = (typeof ENTRY_RULES)[number]

/** The reasons of refused entries: a rule, a pause of the automation, or a request with `triggers: false`. */
export const REFUSAL_REASONS = [...ENTRY_RULES, 'PAUSED', 'TRIGGERS_OFF'] as const
export type RefusalReason = (typeof REFUSAL_REASONS)[number]

export interface RefusedEntryWrite {
  automationId: string
  contactId: string
  /** The event that would have started the enrollment, if any. */
  eventId: string | null
}

/** Records why contacts did not enter automations. A pause is recorded once a day for each contact, not for each event. */
export async function recordRefusedEntries(
  em: EntityManager,
  workspaceId: string,
  rule: RefusalReason,
  refused: readonly RefusedEntryWrite[],
): Promise<void> {
  if (refused.length === 0) return
  await pipelined(em, async (unit) => {
    const recorded = await sql<RefusedEntryRow>(unit, RECORD, [
      workspaceId,
      rule,
      refused.map(({ automationId }) => automationId),
      refused.map(({ contactId }) => contactId),
      refused.map(({ eventId }) => eventId),
    ])
    return () => countEntries(unit, recorded, 1)
  })
}

interface RefusedEntryRow {
  workspace_id: string
  automation_id: string
  rule: RefusalReason
  created_at: string
}

/** SQL: the columns by which entries are counted, for RETURNING. */
const COUNTED = 'workspace_id, automation_id, rule, created_at'

const RECORD = `
insert into refused_entries (workspace_id, automation_id, contact_id, event_id, rule)
select $1::uuid, automation_id, contact_id, event_id, $2
from unnest($3::uuid[], $4::uuid[], $5::uuid[]) entry (automation_id, contact_id, event_id)
where $2 <> 'PAUSED' or not exists (
  select from refused_entries earlier
  where earlier.contact_id = entry.contact_id and earlier.automation_id = entry.automation_id and rule = 'PAUSED'
    and created_at > now() - interval '1 day'
)
returning ${COUNTED}`

/** Counts refused entries: `REFUSED FILTER`. */
async function countEntries(em: EntityManager, entries: readonly RefusedEntryRow[], change: 1 | -1): Promise<void> {
  const changes = new CounterChanges()
  for (const entry of entries) addEntry(changes, entry, change)
  await writeCounterChanges(em, changes)
}

function addEntry(
  changes: CounterChanges,
  { workspace_id, automation_id, rule, created_at }: RefusedEntryRow,
  change: number,
): void {
  const key = { workspaceId: workspace_id, automationId: automation_id, stepId: NO_STEP, at: toDate(created_at) }
  changes.add(key, `REFUSED ${rule}`, change)
}

/** Counts all refused entries again. */
export async function recountRefusedEntries(em: EntityManager, changes: CounterChanges): Promise<void> {
  const rows = await sql<RefusedEntryRow & { count: number }>(
    em,
    `select workspace_id, automation_id, rule, date_bin('15 minutes', created_at, timestamptz 'epoch') as created_at,
       count(*)::integer
     from refused_entries group by 1, 2, 3, 4`,
  )
  for (const row of rows) addEntry(changes, row, row.count)
}

/** Days for which refused entries are stored. */
const REFUSED_ENTRY_DAYS = 90

/** Deletes old refused entries, at most `limit`. @returns the number of deleted entries */
export const deleteOldRefusedEntries = (em: EntityManager, limit: number): Promise<number> =>
  pipelined(em, async (unit) => {
    const deleted = await sql<RefusedEntryRow>(
      unit,
      `delete from refused_entries where id in (
         select id from refused_entries where created_at < now() - make_interval(days => $2::integer) order by created_at limit $1
       ) returning ${COUNTED}`,
      [limit, REFUSED_ENTRY_DAYS],
    )
    return async () => {
      await countEntries(unit, deleted, -1)
      return deleted.length
    }
  })

/** Deletes refused entries of an automation that is being deleted, at most `limit`. @returns whether none are left */
export const deleteRefusedEntriesOf = (em: EntityManager, automationId: string, limit: number): Promise<boolean> =>
  pipelined(em, async (unit) => {
    const deleted = await sql<RefusedEntryRow>(
      unit,
      `delete from refused_entries where id in (
         select id from refused_entries where automation_id = $1::uuid order by id desc limit $2
       ) returning ${COUNTED}`,
      [automationId, limit],
    )
    return async () => {
      await countEntries(unit, deleted, -1)
      return deleted.length < limit
    }
  })

/** Deletes the refused entries of a contact that is being erased. */
export async function eraseRefusedEntries(em: EntityManager, { id }: { id: string }): Promise<readonly Delivery[]> {
  const text = `delete from refused_entries where contact_id = $1::uuid returning ${COUNTED}`
  await countEntries(em, await sql<RefusedEntryRow>(em, text, [id]), -1)
  return []
}
