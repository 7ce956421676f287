import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

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
  await sql(
    em,
    `insert into refused_entries (workspace_id, automation_id, contact_id, event_id, rule)
     select $1::uuid, automation_id, contact_id, event_id, $2
     from unnest($3::uuid[], $4::uuid[], $5::uuid[]) entry (automation_id, contact_id, event_id)
     where $2 <> 'PAUSED' or not exists (
       select from refused_entries earlier
       where earlier.contact_id = entry.contact_id and earlier.automation_id = entry.automation_id and rule = 'PAUSED'
         and created_at > now() - interval '1 day'
     )`,
    [
      workspaceId,
      rule,
      refused.map(({ automationId }) => automationId),
      refused.map(({ contactId }) => contactId),
      refused.map(({ eventId }) => eventId),
    ],
  )
}

/** Days for which refused entries are stored. */
const REFUSED_ENTRY_DAYS = 90

/** Deletes old refused entries, at most `limit`. @returns the number of deleted entries */
export async function deleteOldRefusedEntries(em: EntityManager, limit: number): Promise<number> {
  const deleted = await sql(
    em,
    `delete from refused_entries where id in (
       select id from refused_entries where created_at < now() - make_interval(days => $2::integer) order by created_at limit $1
     ) returning id`,
    [limit, REFUSED_ENTRY_DAYS],
  )
  return deleted.length
}
