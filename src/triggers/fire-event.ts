import { unitOf } from '../platform/db/sql.ts'
import { assertNotCrowded } from './bulk-load.ts'
import { insertCustomEvent } from './queries.ts'
import { notFound } from '../platform/refusal.ts'
import { isId } from '../platform/ids.ts'
import { triggerKey } from './trigger.ts'
import { whenDurable, type Call } from '../platform/call.ts'
import type { Dependencies } from '../outbox/dependencies.ts'

export interface FiredEvent {
  contactId: string
  eventName: string
  matchingAutomations: number
  firedAt: Date
}

/**
 * Fires a custom event for a contact. It is durable before anything is started, so it is
 * acknowledged even while Temporal is away, and starts what it matched as soon as that is back.
 */
export async function fireEvent(
  dependencies: Dependencies,
  workspaceId: string,
  contactId: string,
  { name, data }: { name: string; data?: unknown },
  call: Call,
): Promise<FiredEvent> {
  await assertNotCrowded(dependencies, workspaceId)
  const event = isId(contactId)
    ? await insertCustomEvent(unitOf(dependencies.em), {
        id: call.id,
        workspaceId,
        contactId,
        key: triggerKey('EVENT', { eventName: name }) ?? '',
        name,
        data,
        requestId: call.requestId,
      })
    : undefined
  if (!event) throw notFound('Contact not found')
  await whenDurable(dependencies, call, () => dependencies.deliverAtOnce(dependencies, event.deliveries))
  return { contactId, eventName: name, matchingAutomations: event.matching, firedAt: event.createdAt }
}
