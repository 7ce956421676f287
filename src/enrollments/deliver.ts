import pMap from 'p-map'
import { type Delivery, type Dependencies, leaveToRelay, deferDeliveries, completeDeliveries } from '../outbox/index.ts'
import { eventDedupKey, type Place } from '../automation-engine/index.ts'
import { lockContactsAgainstErasure } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { createQuota } from '../platform/quota.ts'
import { type EntryRule, type RefusedEntryWrite } from '../triggers/index.ts'
import { type Admission, concurrencyKeyOf, decideEntry, type EntryRequest } from './entry-rules.ts'
import { findActive } from './queries.ts'
import { type RestartedConfirmation, endForNewConfirmation } from './end-queries.ts'
import { statusOf } from './leave-queries.ts'
import { isStillEnrolled } from './reconcile-enrollments.ts'
import { refuseEntry } from './refuse-entry.ts'
import { readStarts, type Start } from './start-queries.ts'

/**
 * Maximum concurrent deliveries by the requests of one workspace, per process. One event can start hundreds of automations. The
 * outbox relay delivers the rest and alternates between workspaces, so that calls of other workspaces do not queue up at
 * Temporal.
 */
const DELIVERED_AT_ONCE = 10

/**
 * Delivers pending outbox rows to Temporal in parallel. Each one is completed or rescheduled individually. Safe to repeat:
 * enrollments deduplicate the events they receive, and an event starts an enrollment once.
 */
export async function deliver(
  dependencies: Dependencies,
  deliveries: readonly Delivery[],
  concurrency = DELIVERED_AT_ONCE,
): Promise<void> {
  const { em, log } = dependencies
  const done: Delivery[] = []
  const failed: Delivery[] = []
  const starts = await readStarts(em.fork(), deliveries)
  await pMap(
    deliveries,
    async (delivery) => {
      try {
        await deliverOne(dependencies, delivery, starts.get(delivery.id))
        done.push(delivery)
      } catch (error) {
        failed.push(delivery)
        const { kind, automationId, contactId, eventId, attempts } = delivery
        const requestId = starts.get(delivery.id)?.requestId
        log.warn(
          { requestId, error, kind, automationId, contactId, eventId, attempts },
          'Delivery to Temporal failed; rescheduled',
        )
      }
    },
    { concurrency },
  )
  const fork = em.fork()
  await completeDeliveries(fork, done)
  await deferDeliveries(fork, failed)
}

async function deliverOne(dependencies: Dependencies, delivery: Delivery, start: Start | undefined): Promise<void> {
  const { enrollments } = dependencies
  const { kind, workspaceId, automationId, contactId, concurrencyKey, eventId, enrollmentId } = delivery
  if (kind === 'RETRY') {
    if (workspaceId === null || delivery.messageId === null) throw new Error('A RETRY without its ids')
    return enrollments.retry(workspaceId, delivery.messageId)
  }
  if (kind === 'CAMPAIGN') {
    if (workspaceId === null || delivery.campaignId === null) throw new Error('A CAMPAIGN without its ids')
    return enrollments.campaign(workspaceId, delivery.campaignId)
  }
  if (automationId === null || contactId === null) throw new Error(`A ${kind} without an automation and a contact`)
  const place = { automationId, contactId, concurrencyKey }
  switch (kind) {
    case 'START': {
      // The automation was deleted in the meantime.
      if (!start) return
      if (workspaceId === null || eventId === null || enrollmentId === null) throw new Error('A START without its ids')
      const { automationName, requestId } = start
      const dedupKey = eventDedupKey(eventId)
      const admission = await admit(dependencies.em.fork(), { workspaceId, ...place, dedupKey }, start)
      if ('refusedBy' in admission)
        return recordRefusal(dependencies.em.fork(), workspaceId, admission.refusedBy, {
          automationId,
          contactId,
          eventId,
        })
      const key = admission.concurrencyKey
      const entered = { automationId, contactId, concurrencyKey: key }
      const activeId = key === '' ? start.activeId : ((await findActive(dependencies.em.fork(), entered)) ?? null)
      let isIn = activeId !== null && (await isStillEnrolled(dependencies, activeId, entered))
      // A new confirmation request replaces the enrollment that still reminds the contact of an earlier one.
      if (isIn && start.isAsking)
        isIn = !(await evictOldest(dependencies, { id: activeId!, automationId, contactId, enrollmentId, eventId }))
      const ids = { enrollmentId, workspaceId, automationId, contactId }
      const enrolledAt = new Date().toISOString()
      const input = { ...ids, ...(key && { concurrencyKey: key }), enrolledAt, dedupKey, triggerEventId: eventId }
      return enrollments.enter({ automationName, requestId, input }, isIn ? activeId : null)
    }
    case 'WAKE':
      return enrollments.wake(place)
    case 'CANCEL':
      return enrollments.cancel(place)
    case 'END':
      if (enrollmentId === null) throw new Error('An END without its enrollment')
      return enrollments.end(place, enrollmentId)
    case 'LEAVE': {
      if (enrollmentId === null) throw new Error('A LEAVE without its enrollment')
      const status = await statusOf(dependencies.em.fork(), enrollmentId)
      if (status === undefined || status === 'ACTIVE') return
      return enrollments.leave(place, enrollmentId, status)
    }
    case 'WAKE_PAUSED':
    case 'WAKE_RETRIES':
    case 'DELETE_AUTOMATION':
    case 'IMPORT':
    case 'BOUNCE':
    case 'ERASE':
    case 'RECONCILE':
    case 'REDELIVER':
    case 'NOTICE':
    case 'RESET_DONE':
      throw new Error(`A ${kind} is not delivered to Temporal`)
  }
}

/** Decides whether the contact of a START may enter. */
async function admit(
  em: EntityManager,
  { concurrencyKey, ...ids }: Place & Pick<EntryRequest, 'workspaceId' | 'dedupKey'>,
  { entry, eventData, isDecided }: Start,
): Promise<Admission> {
  if (isDecided) return { concurrencyKey }
  const key = await concurrencyKeyOf(em, entry.concurrency, eventData)
  return decideEntry(em, entry, key, { ...ids, eventData, at: new Date() })
}

/** Records that a rule kept a contact out. */
async function recordRefusal(
  em: EntityManager,
  workspaceId: string,
  rule: EntryRule,
  { automationId, contactId, eventId }: RefusedEntryWrite & { eventId: string },
): Promise<void> {
  await em.transactional(async (unit) => {
    await lockContactsAgainstErasure(unit, [contactId])
    await refuseEntry(unit, workspaceId, rule, { automationId, contactId, eventId })
  })
}

/** Ends the present enrollment in favor of a new one. @returns whether it did; a repeated delivery does not */
async function evictOldest({ em, enrollments }: Dependencies, of: RestartedConfirmation): Promise<boolean> {
  const fork = em.fork()
  const due = await fork.transactional((unit) => endForNewConfirmation(unit, of))
  for (const { automationId, contactId, concurrencyKey, enrollmentId } of due)
    await enrollments.end({ automationId: automationId!, contactId: contactId!, concurrencyKey }, enrollmentId!)
  await completeDeliveries(fork, due)
  return due.length > 0
}

/** @see Dependencies.deliverAtOnce */
export function createImmediateDelivery(): Dependencies['deliverAtOnce'] {
  const places = createQuota(DELIVERED_AT_ONCE)
  return async (dependencies, deliveries) => {
    const [first] = deliveries
    if (!first) return
    const { em, log } = dependencies
    // All deliveries of one request belong to one workspace.
    const owner = first.workspaceId ?? ''
    const taken = places.take(owner, deliveries.length)
    try {
      if (taken < deliveries.length) dependencies.crowded.set(owner, true)
      await leaveToRelay(em.fork(), deliveries.slice(taken))
      await deliver(dependencies, deliveries.slice(0, taken))
    } catch (error) {
      log.warn({ error }, 'Deliveries to Temporal failed; left to the outbox relay')
    } finally {
      places.returnQuota(owner, taken)
    }
  }
}
