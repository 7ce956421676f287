import { batch } from '../platform/batcher.ts'
import type { Call } from '../platform/call.ts'
import { isDatabaseUnavailable } from '../platform/db/errors.ts'
import type { EntityManager } from '../platform/db/orm.ts'
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

/** Maximum number of requests that share a transaction. */
const MAX_SHARED = 50

/** Stores an event together with those of concurrent requests. Fails only for this event. */
type Writer = (event: RequestedEvent) => Promise<PromiseSettledResult<Stored>>

const writers = new WeakMap<EntityManager, Writer>()

/** Returns the writer of a process, which stores the events of concurrent requests of a workspace in one transaction. */
function writerOf(em: EntityManager): Writer {
  const writer =
    writers.get(em) ?? batch(({ workspaceId }: RequestedEvent) => workspaceId, storeTogether, { maxBatch: MAX_SHARED })
  writers.set(em, writer)
  return writer
}

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
  const stored = await writerOf(dependencies.em)({ dependencies, workspaceId, contactId, call, ...event })
  if (stored.status === 'rejected') throw stored.reason
  const { written, delivered } = stored.value
  await delivered
  return written && toFired(event.name, written)
}

async function storeTogether(events: RequestedEvent[]): Promise<PromiseSettledResult<Stored>[]> {
  try {
    const stored = await storeAll(events)
    return stored.map((value) => ({ status: 'fulfilled', value }))
  } catch (error) {
    if (events.length === 1 || isDatabaseUnavailable(error)) throw error
    // If one event cannot be stored, the others still are. Storing an event again changes nothing.
    return Promise.allSettled(events.map(async (event) => (await storeAll([event]))[0]!))
  }
}

async function storeAll(events: readonly RequestedEvent[]): Promise<Stored[]> {
  const { dependencies, workspaceId } = events[0]!
  const { written, deliveries } = await dependencies.em.fork().transactional(async (unit) => {
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
