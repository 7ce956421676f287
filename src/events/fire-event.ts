import { inTransaction } from '../platform/db/sql.ts'
import { isId } from '../platform/ids.ts'
import { whenDurable, type Call } from '../platform/call.ts'
import type { Dependencies } from '../outbox/index.ts'
import { storeEvent } from './store-events.ts'
import {
  assertQueueNotFull,
  type EventEffects,
  type EventSource,
  triggerKey,
  type WrittenEvent,
} from '../triggers/index.ts'

export interface FiredEvent {
  contactId: string
  eventName: string
  effects: EventEffects
  firedAt: Date
}

/** The name in the form for which automations listen. */
export const eventKey = (name: string): string => triggerKey('EVENT', { eventName: name }) ?? ''

/** Presents what a stored event did. */
export const toFired = (eventName: string, written: WrittenEvent): FiredEvent => {
  const { contactId, effects, createdAt } = written
  return { contactId, eventName, effects, firedAt: createdAt }
}

/**
 * Fires a custom event for a contact. The event is stored before anything is started, so it is acknowledged even if Temporal is
 * down, and starts the matching automations as soon as Temporal is back.
 * @param event.isBulk whether the relay delivers what it starts, in the bulk lane
 * @returns `undefined` if the workspace has no such contact
 */
export async function fireEvent(
  dependencies: Dependencies,
  workspaceId: string,
  contactId: string,
  {
    name,
    data,
    source = 'API',
    isBulk = false,
  }: { name: string; data?: unknown; source?: EventSource; isBulk?: boolean },
  call: Call,
): Promise<FiredEvent | undefined> {
  await assertQueueNotFull(dependencies, workspaceId)
  const { id, requestId } = call
  const event = isId(contactId)
    ? await inTransaction(dependencies.em, (unit) =>
        storeEvent(unit, { id, workspaceId, contactId, key: eventKey(name), name, data, source, requestId, isBulk }),
      )
    : undefined
  if (!event) return undefined
  await whenDurable(dependencies, call, () => dependencies.deliverAtOnce(dependencies, event.deliveries))
  return toFired(name, event)
}
