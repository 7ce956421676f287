import { unitOf } from '../db/sql.ts'
import { insertCustomEvent } from '../db/queries/trigger-events.ts'
import { notFound } from '../domain/errors.ts'
import { isId } from '../domain/ids.ts'
import { triggerKey } from '../domain/triggers.ts'
import { deliverAtOnce } from './deliver.ts'
import { whenDurable, type Call } from './call.ts'
import type { Dependencies } from './dependencies.ts'

export interface FiredEvent {
  contactId: string
  eventName: string
  matchingAutomations: number
  firedAt: Date
}

/**
 * Fires a custom event for a contact (specification, section 6). It is durable before anything is started, so it is
 * acknowledged even while Temporal is away, and starts what it matched as soon as that is back.
 */
export async function fireEvent(
  dependencies: Dependencies,
  workspaceId: string,
  contactId: string,
  { name, data }: { name: string; data?: unknown },
  call: Call,
): Promise<FiredEvent> {
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
  await whenDurable(dependencies, call, () => deliverAtOnce(dependencies, event.deliveries))
  return { contactId, eventName: name, matchingAutomations: event.matching, firedAt: event.createdAt }
}
