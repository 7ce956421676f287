import type { EntityManager } from '../platform/db/orm.ts'
import { type EntryRule, recordProcessedEvent, recordRefusedEntries } from '../triggers/index.ts'

/**
 * Records that a rule kept a contact out, once for each event. The event counts as processed, so that it is not delivered again. The
 * caller has a transaction, and has locked the contact.
 */
export async function refuseEntry(
  em: EntityManager,
  workspaceId: string,
  rule: EntryRule,
  entry: { automationId: string; contactId: string; eventId: string },
): Promise<void> {
  const isNew = (await recordProcessedEvent(em, [entry])) > 0
  if (isNew) await recordRefusedEntries(em, workspaceId, rule, [entry])
}
