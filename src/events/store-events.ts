import { readClockAhead } from '../workspaces/index.ts'
import { eventKeyOf } from '../automations/index.ts'
import { decideEntries, leaveByEvent } from '../enrollments/index.ts'
import type { Delivery } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { wakeWaiting } from '../steps/index.ts'
import {
  addEffects,
  insertCustomEvents,
  lockListening,
  type NewCustomEvent,
  type OtherEffects,
  recordRefusedEntries,
  storedEffects,
  type WrittenEvent,
} from '../triggers/index.ts'

export interface StoreContext {
  workspaceId: string
  /** Whether the relay delivers what they start, in the bulk lane. */
  isBulk: boolean
}

/**
 * Stores custom events, and does what they cause: enrollments that they start, end by a rule, or wake. An event that is stored
 * already causes nothing again.
 *
 * @param em a transaction
 * @param events distinct by ID
 * @returns for each event what was stored, or `undefined` if the workspace has no such contact; and the deliveries for the caller
 */
export async function storeEvents(
  em: EntityManager,
  context: StoreContext,
  events: readonly NewCustomEvent[],
): Promise<{ written: (WrittenEvent | undefined)[]; deliveries: Delivery[] }> {
  const { workspaceId, isBulk } = context
  const heard = await lockListening(em, workspaceId, events)
  const plans = await decideEntries(em, workspaceId, heard)
  const clockAhead = await readClockAhead(em, workspaceId)
  const { written, deliveries } = await insertCustomEvents(em, context, plans)
  const byId = new Map(written.map((event) => [event.id, event]))
  const added: { id: string; effects: Partial<OtherEffects> }[] = []
  for (const [n, { event, refused }] of plans.entries()) {
    const { id: eventId, contactId } = event
    if (!byId.get(eventId)!.isNew) continue
    for (const { automationId, rule } of refused)
      await recordRefusedEntries(em, workspaceId, rule, [{ automationId, contactId, eventId }])
    if (!heard[n]!.isAwaited) continue
    const stored = {
      ...{ workspaceId, contactId, isBulk, data: event.data },
      eventKey: eventKeyOf(event.key),
      at: new Date(byId.get(eventId)!.createdAt.getTime() + clockAhead),
    }
    const left = await leaveByEvent(em, stored)
    const woken = await wakeWaiting(em, { ...stored, id: eventId })
    deliveries.push(...left.deliveries, ...woken.deliveries)
    const effects = storedEffects({ ended: left.ended, continued: woken.continued })
    Object.assign(byId.get(eventId)!.effects, effects)
    if (Object.keys(effects).length > 0) added.push({ id: eventId, effects })
  }
  await addEffects(em, added)
  return { written: events.map(({ id }) => byId.get(id)), deliveries }
}

/** Stores one custom event. @returns `undefined` if the workspace has no such contact */
export async function storeEvent(
  em: EntityManager,
  { workspaceId, isBulk = false, ...event }: NewCustomEvent & { workspaceId: string; isBulk?: boolean },
): Promise<(WrittenEvent & { deliveries: Delivery[] }) | undefined> {
  const { written, deliveries } = await storeEvents(em, { workspaceId, isBulk }, [event])
  return written[0] && { ...written[0], deliveries }
}
