import type { Call } from '../platform/call.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sharedWriter } from '../platform/db/shared-writer.ts'
import { isId } from '../platform/ids.ts'
import type { Dependencies } from '../outbox/index.ts'
import { assertQueueNotFull, type EventSource, type WrittenEvent } from '../triggers/index.ts'
import { eventKey, type FiredEvent, toFired } from './fire-event.ts'
import { storeEvents } from './store-events.ts'

/** An event of one request. */
interface RequestedEvent {
  dependencies: Dependencies
  workspaceId: string
  contactId: string
  name: string
  data: unknown
  source: EventSource
  call: Call
}

/** A stored event; `undefined` if the workspace has no such contact. */
interface Stored {
  written: WrittenEvent | undefined
  /** The deliveries of all events that were stored with it. */
  delivered: Promise<void>
}

/** Stores the events of concurrent requests of a workspace in one transaction. */
const store = sharedWriter<RequestedEvent, Stored>(({ workspaceId }) => workspaceId, storeAll)

/**
 * Fires a custom event like `fireEvent`, in a transaction that it shares with the events of concurrent requests, and writes the audit
 * entry of its request.
 * @returns `undefined` if the workspace has no such contact
 */
export async function fireShared(
  dependencies: Dependencies,
  workspaceId: string,
  contactId: string,
  event: { name: string; data: unknown; source: EventSource },
  call: Call,
): Promise<FiredEvent | undefined> {
  await assertQueueNotFull(dependencies, workspaceId)
  if (!isId(contactId)) return undefined
  const requested = { dependencies, workspaceId, contactId, call, ...event }
  const { written, delivered } = await store(dependencies.em, requested)
  await delivered
  return written && toFired(event.name, written)
}

async function storeAll(em: EntityManager, events: readonly RequestedEvent[]): Promise<Stored[]> {
  const { dependencies, workspaceId } = events[0]!
  const { written, deliveries } = await em.fork().transactional(async (unit) => {
    const stored = await storeEvents(
      unit,
      { workspaceId, isBulk: false },
      events.map(({ contactId, name, data, source, call: { id, requestId } }) => ({
        ...{ id, contactId, key: eventKey(name), name, data, source, requestId },
      })),
    )
    const isNew = (_event: RequestedEvent, n: number) => stored.written[n]?.isNew === true
    await Promise.all(events.filter(isNew).map(({ call }) => call.audit(unit)))
    return stored
  })
  const delivered = dependencies.deliverAtOnce(dependencies, deliveries)
  // Every request awaits it.
  delivered.catch(() => undefined)
  return written.map((event) => ({ written: event, delivered }))
}
