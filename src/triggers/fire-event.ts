import { inTransaction } from '../platform/db/sql.ts'
import { assertQueueNotFull } from './bulk-load.ts'
import { insertCustomEvent } from './queries.ts'
import { isId } from '../platform/ids.ts'
import { triggerKey } from './trigger.ts'
import { whenDurable, type Call } from '../platform/call.ts'
import type { Dependencies } from '../outbox/index.ts'

export interface FiredEvent {
  contactId: string
  eventName: string
  matchingAutomations: number
  firedAt: Date
}

/**
 * Fires a custom event for a contact. The event is stored before anything is started, so it is acknowledged even if Temporal is
 * down, and starts the matching automations as soon as Temporal is back.
 * @returns `undefined` if the workspace has no such contact
 */
export async function fireEvent(
  dependencies: Dependencies,
  workspaceId: string,
  contactId: string,
  { name, data }: { name: string; data?: unknown },
  call: Call,
): Promise<FiredEvent | undefined> {
  await assertQueueNotFull(dependencies, workspaceId)
  const event = isId(contactId)
    ? await inTransaction(dependencies.em, (unit) =>
        insertCustomEvent(unit, {
          id: call.id,
          workspaceId,
          contactId,
          key: triggerKey('EVENT', { eventName: name }) ?? '',
          name,
          data,
          requestId: call.requestId,
        }),
      )
    : undefined
  if (!event) return undefined
  await whenDurable(dependencies, call, () => dependencies.deliverAtOnce(dependencies, event.deliveries))
  return { contactId, eventName: name, matchingAutomations: event.matching, firedAt: event.createdAt }
}
