import pMap from 'p-map'
import { putOffDeliveries, settleDeliveries, type Delivery } from '../db/queries/outbox.ts'
import { eventCause } from '../domain/enrollment.ts'
import type { Dependencies } from './dependencies.ts'
import { settleActive } from './settle-active.ts'

/** How many calls to Temporal one delivery makes at a time. */
const CONCURRENCY = 20

/**
 * Delivers what is owed to Temporal, in parallel, settles what arrived and puts off what did not, each by itself. May be
 * repeated: an enrollment knows what it has heard of, and what an event started is started once.
 */
export async function deliver(
  dependencies: Dependencies,
  deliveries: readonly Delivery[],
  concurrency = CONCURRENCY,
): Promise<void> {
  const { em, log } = dependencies
  const done: Delivery[] = []
  const failed: Delivery[] = []
  await pMap(
    deliveries,
    async (delivery) => {
      try {
        await deliverOne(dependencies, delivery)
        done.push(delivery)
      } catch (error) {
        failed.push(delivery)
        const { kind, automationId, contactId, eventId, attempts, requestId } = delivery
        log.warn(
          { requestId, error, kind, automationId, contactId, eventId, attempts },
          'A delivery to Temporal failed and is put off',
        )
      }
    },
    { concurrency },
  )
  const fork = em.fork()
  await settleDeliveries(fork, done)
  await putOffDeliveries(fork, failed)
}

async function deliverOne(dependencies: Dependencies, delivery: Delivery): Promise<void> {
  const { enrollments } = dependencies
  const { kind, workspaceId, automationId, contactId, eventId, enrollmentId, automationName, requestId } = delivery
  if (automationId === null || contactId === null) throw new Error(`A ${kind} without an automation and a contact`)
  switch (kind) {
    case 'START': {
      // Deleted meanwhile: nothing is owed to it.
      if (automationName === null) return
      if (workspaceId === null || eventId === null || enrollmentId === null) throw new Error('A START without its ids')
      const { activeId } = delivery
      const isIn = activeId !== null && (await settleActive(dependencies, { id: activeId, automationId, contactId }))
      const ids = { enrollmentId, workspaceId, automationId, contactId }
      const enrolledAt = new Date().toISOString()
      const input = { ...ids, enrolledAt, cause: eventCause(eventId), triggerEventId: eventId }
      return enrollments.enter({ automationName, requestId, input }, isIn ? activeId : null)
    }
    case 'WAKE':
      return enrollments.automationChanged(automationId, contactId)
    case 'CANCEL':
      return enrollments.cancel(automationId, contactId)
    case 'WAKE_HELD':
    case 'TEAR_DOWN':
    case 'ERASE':
    case 'RECONCILE':
      throw new Error(`A ${kind} is a walk, and no delivery`)
  }
}

/**
 * Delivers in the request that made it due. It is durable already: whatever goes wrong here, the relay delivers it, and the
 * request succeeds.
 */
export async function deliverAtOnce(dependencies: Dependencies, deliveries: readonly Delivery[]): Promise<void> {
  if (deliveries.length === 0) return
  try {
    await deliver(dependencies, deliveries)
  } catch (error) {
    dependencies.log.warn({ error }, 'Deliveries to Temporal are left to the relay')
  }
}
