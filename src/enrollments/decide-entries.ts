import { type EntryRules } from '../automations/index.ts'
import { eventDedupKey, type Place } from '../automation-engine/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { HeardEvent, PlannedEvent } from '../triggers/index.ts'
import { concurrencyKeyOf, decideEntry } from './entry-rules.ts'
import { readEnrolled } from './entry-queries.ts'

/**
 * Decides which automations events start: those that listen, without those in which the contact is already or will be by an
 * earlier event. This is final, no matter how late the start is delivered and what has ended by then.
 *
 * @param em a transaction that has locked the contacts exclusively
 */
export async function decideEntries(
  em: EntityManager,
  workspaceId: string,
  events: readonly HeardEvent[],
): Promise<PlannedEvent[]> {
  const enrolled = await readEnrolled(em, events)
  const decided: PlannedEvent[] = []
  for (const { automations, pausedIds, ...event } of events) {
    const { id, contactId, data: eventData } = event
    const starts: Omit<Place, 'contactId'>[] = []
    const alreadyEnrolled: PlannedEvent['alreadyEnrolled'] = []
    const refused = pausedIds.map((automationId): PlannedEvent['refused'][number] => ({ automationId, rule: 'PAUSED' }))
    for (const { id: automationId, entry } of automations) {
      const rules = entry as EntryRules
      const key = await concurrencyKeyOf(em, rules.concurrency, eventData)
      const request = { workspaceId, automationId, contactId, eventData, dedupKey: eventDedupKey(id) }
      const admission = await decideEntry(em, rules, key, request)
      if ('refusedBy' in admission) {
        refused.push({ automationId, rule: admission.refusedBy })
        continue
      }
      const { concurrencyKey } = admission
      const place = `${contactId} ${automationId} ${concurrencyKey}`
      if (enrolled.has(place)) alreadyEnrolled.push({ automationId })
      else starts.push({ automationId, concurrencyKey })
      enrolled.add(place)
    }
    decided.push({ event, starts, alreadyEnrolled, refused })
  }
  return decided
}
