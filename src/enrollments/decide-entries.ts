import { type EntryRules } from '../automations/index.ts'
import { eventDedupKey } from '../automation-engine/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { EntryRule, HeardEvent, PlannedEvent } from '../triggers/index.ts'
import { concurrencyKeyOf, decideEntry } from './entry-rules.ts'
import { readEnrolled } from './entry-queries.ts'

/** An event with the automations that it starts, and those that a rule keeps its contact out of. */
export interface DecidedEvent extends PlannedEvent {
  refused: { automationId: string; rule: EntryRule }[]
}

/**
 * Decides which automations events start. Of several events of one call, only the first starts an automation for a contact; the
 * others are received by that enrollment.
 *
 * @param em a transaction that has locked the contacts
 */
export async function decideEntries(
  em: EntityManager,
  workspaceId: string,
  events: readonly HeardEvent[],
): Promise<DecidedEvent[]> {
  const enrolled = await readEnrolled(em, events)
  const decided: DecidedEvent[] = []
  for (const { automations, ...event } of events) {
    const { id, contactId, data: eventData } = event
    const plan: DecidedEvent = { event, deliveredTo: [], alreadyEnrolled: 0, excluded: 0, refused: [] }
    const deliveredTo: { automationId: string; concurrencyKey: string }[] = []
    for (const { id: automationId, entry } of automations) {
      const rules = entry as EntryRules
      const key = await concurrencyKeyOf(em, rules.concurrency, eventData)
      const request = { workspaceId, automationId, contactId, eventData, dedupKey: eventDedupKey(id), at: new Date() }
      const admission = await decideEntry(em, rules, key, request)
      if ('refusedBy' in admission) {
        plan.refused.push({ automationId, rule: admission.refusedBy })
        continue
      }
      deliveredTo.push({ automationId, concurrencyKey: admission.concurrencyKey })
      const place = `${contactId} ${automationId} ${admission.concurrencyKey}`
      if (enrolled.has(place)) plan.alreadyEnrolled += 1
      enrolled.add(place)
    }
    decided.push({ ...plan, deliveredTo, excluded: plan.refused.length })
  }
  return decided
}
