import pMap from 'p-map'
import { dueStepOf, enterByEvent, readStarts, type Start, statusOf } from '../enrollments/index.ts'
import { completeDeliveries, type Delivery, deferDeliveries, type Dependencies, leaveToRelay } from '../outbox/index.ts'
import { createQuota } from '../platform/quota.ts'

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
    case 'START':
      if (workspaceId === null || eventId === null || enrollmentId === null) throw new Error('A START without its ids')
      // Without one, the automation was deleted in the meantime.
      return start && enterByEvent(dependencies, { ...place, workspaceId, eventId, enrollmentId }, start)
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
    case 'SKIP': {
      if (enrollmentId === null) throw new Error('A SKIP without its enrollment')
      const due = await dueStepOf(dependencies.em.fork(), enrollmentId)
      return due && enrollments.skip(place, due)
    }
    case 'MOVE_CLOCK':
    case 'WAKE_PAUSED':
    case 'WAKE_RETRIES':
    case 'MOVE':
    case 'DELETE_AUTOMATION':
    case 'IMPORT':
    case 'REHEARSE':
    case 'BOUNCE':
    case 'ERASE':
    case 'RECONCILE':
    case 'REDELIVER':
    case 'NOTICE':
    case 'RESET_DONE':
    case 'INVITATION':
      throw new Error(`A ${kind} is not delivered to Temporal`)
  }
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
