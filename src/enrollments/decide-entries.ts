import { type EntryRules } from '../automations/index.ts'
import { eventDedupKey, type Place } from '../automation-engine/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { HeardEvent, PlannedEvent, RefusalReason } from '../triggers/index.ts'
import { concurrencyKeyOf, decideEntry } from './entry-rules.ts'
import { readEnrolled } from './entry-queries.ts'

/** An event with the automations that it starts, and those that a rule or a pause keeps its contact out of. */
export interface DecidedEvent extends PlannedEvent {
  refused: { automationId: string; rule: RefusalReason }[]
}

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
): Promise<DecidedEvent[]> {
  const enrolled = await readEnrolled(em, events)
  const decided: DecidedEvent[] = []
  for (const { automations, pausedIds, ...event } of events) {
    const { id, contactId, data: eventData } = event
    const starts: Omit<Place, 'contactId'>[] = []
    const refused = pausedIds.map((automationId): DecidedEvent['refused'][number] => ({ automationId, rule: 'PAUSED' }))
    const plan: DecidedEvent = { event, starts, alreadyEnrolled: 0, excluded: 0, refused }
    for (const { id: automationId, entry } of automations) {
      const rules = entry as EntryRules
      const key = await concurrencyKeyOf(em, rules.concurrency, eventData)
      const request = { workspaceId, automationId, contactId, eventData, dedupKey: eventDedupKey(id), at: new Date() }
      const admission = await decideEntry(em, rules, key, request)
      if ('refusedBy' in admission) {
        plan.excluded += 1
        refused.push({ automationId, rule: admission.refusedBy })
        continue
      }
      const { concurrencyKey } = admission
      const place = `${contactId} ${automationId} ${concurrencyKey}`
      if (enrolled.has(place)) plan.alreadyEnrolled += 1
      else starts.push({ automationId, concurrencyKey })
      enrolled.add(place)
    }
    decided.push(plan)
  }
  return decided
}
