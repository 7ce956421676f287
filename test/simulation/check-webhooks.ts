/** Checks the requests of webhooks. */
import { sql, toDate } from '../../src/platform/db/sql.ts'
import type { Scheduler } from './scheduler.ts'
import type { World } from './world.ts'

/** Expectations about webhooks. */
export interface WebhookStory {
  /** First names that contacts were given by acknowledged requests. */
  facts: { contactId: string; firstName: string }[]
  /** Virtual time at which a response promised that no further event is sent: of this contact, or of all. */
  stopped?: () => { at: number; contactId?: string } | undefined
  /** Whether a worker is stopped gracefully. */
  hasStop?: boolean
}

/** Milliseconds after the response of a stop in which a request may still begin. */
const STOPPED_WITHIN_MS = 1_000
/** Milliseconds within which an event is sent if there are no faults: shorter than a lease. */
const SENT_WITHIN_MS = 30_000

/** The calls of the delivery. */
const DELIVERY = /^webhook |^SQL (begin|commit|with (taken|given)|select (id, url|event_position)|update webhook)/

/** Returns whether an event may be sent twice or late after a fault. */
const isExcuse = ({ process, what, fault }: Scheduler['faults'][number]) =>
  process.name.startsWith('worker') &&
  (/^(crash|stall|nap)/.test(fault) || (fault.startsWith('fail') && DELIVERY.test(what)))

/** Compares the requests with the recorded events. @returns the violations as text */
export async function* checkWebhooks(
  world: World,
  { facts, stopped, hasStop = false }: WebhookStory,
): AsyncGenerator<string> {
  const { attempts } = world.receiver!
  const events = await sql<{ id: string; contact_id: string | null; first_name: string | null; created_at: string }>(
    world.em,
    `select event.id, contact_id, data ->> 'firstName' as first_name, created_at from webhook_events event
     where exists (select from webhook_endpoints where status = 'ENABLED') order by position`,
  )
  const stop = stopped?.()
  const isStopped = (contactId: string) => stop && (stop.contactId ?? contactId) === contactId
  for (const { contactId, firstName } of facts) {
    const isRecorded = events.some((one) => one.contact_id === contactId && one.first_name === firstName)
    if (!isRecorded && !isStopped(contactId)) yield `the change to ${firstName} has no event`
  }
  const attemptsOf = Map.groupBy(attempts, ({ id }) => id)
  const isCalm = !world.scheduler.faults.some(isExcuse) && attempts.every(({ isTaken }) => isTaken)
  for (const { id, first_name: name, created_at: at } of events) {
    const own = attemptsOf.get(id) ?? []
    if (!own.some(({ isTaken }) => isTaken)) yield `the event of ${name ?? id} was never delivered`
    if (isCalm && own.length > 1 && !hasStop) yield `the event of ${name ?? id} was sent twice without a fault`
    if (isCalm && own[0] && own[0].time > toDate(at).getTime() + SENT_WITHIN_MS)
      yield `the event of ${name ?? id} was sent late without a fault`
  }
  for (const [id, [first, ...others]] of attemptsOf) {
    if (others.some(({ body }) => body !== first!.body)) yield `the requests of ${id} differ`
  }
  for (const [contactId, own] of Map.groupBy(events, ({ contact_id }) => contact_id)) {
    const firsts = own.map(({ id }) => attempts.findIndex((attempt) => attempt.id === id))
    const isSorted = firsts.every((at, n) => at < 0 || firsts.slice(0, n).every((before) => before < at))
    if (contactId && !isSorted) yield `the events of ${contactId} were sent in another order: ${firsts.join(', ')}`
  }
  for (const { type, contactId, time } of attempts) {
    if (stop && isStopped(contactId) && type !== 'contact.deleted' && time > stop.at + STOPPED_WITHIN_MS)
      yield `${type} was sent ${time - stop.at} ms after the response of the stop`
  }
}
