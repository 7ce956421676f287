import { setTimeout as delay } from 'node:timers/promises'
import type { EntityManager } from '../platform/db/orm.ts'
import type { WebhookEndpoint } from './entities.ts'
import { type EventCursor, eventsAfter } from './log-queries.ts'

/** Milliseconds between two checks for events while a request waits. */
const CHECK_MS = 500

/** Parses a cursor that the schema has validated. */
export function readEventCursor(text: string | undefined): EventCursor | undefined {
  const [xid, position] = text?.split('.') ?? []
  return xid !== undefined && position !== undefined ? { xid, position } : undefined
}

export const writeEventCursor = ({ xid, position }: EventCursor): string => `${xid}.${position}`

/** Waits until an endpoint has an event after a cursor. Holds no connection in the meantime. */
export async function waitForEvents(
  em: EntityManager,
  endpoint: WebhookEndpoint,
  after: EventCursor | undefined,
  waitSeconds: number,
): Promise<void> {
  const deadline = Date.now() + waitSeconds * 1_000
  while (Date.now() < deadline) {
    if ((await eventsAfter(em.fork(), endpoint, after, 1)).length > 0) return
    await delay(Math.min(CHECK_MS, Math.max(0, deadline - Date.now())))
  }
}
