import pMap from 'p-map'
import { automationNames } from '../db/queries/automations.ts'
import { markDelivered, type TriggerEvent } from '../db/queries/trigger-events.ts'
import { eventCause } from '../domain/enrollment.ts'
import { newId } from '../domain/ids.ts'
import type { Dependencies } from './dependencies.ts'

/** How many calls to Temporal one delivery makes at a time. */
const CONCURRENCY = 20

/**
 * Delivers trigger events to the automations that each is for, in parallel, and notes those that arrived everywhere.
 * May be repeated: an enrollment knows the events it has heard of, and one that an event started is started once.
 */
export async function deliverTriggerEvents(
  { em, enrollments, log }: Dependencies,
  events: readonly TriggerEvent[],
): Promise<void> {
  const fork = em.fork()
  const names = await automationNames(fork, [...new Set(events.flatMap((event) => event.automationIds))])
  const deliveries = events.flatMap((event) =>
    event.automationIds.flatMap((automationId) => {
      // Deleted meanwhile: nothing is owed to it.
      const automationName = names.get(automationId)
      return automationName === undefined ? [] : [{ event, automationId, automationName }]
    }),
  )
  const failed = new Set<string>()
  await pMap(
    deliveries,
    async ({ event, automationId, automationName }) => {
      const enrollmentId = newId()
      try {
        await enrollments.trigger(
          {
            automationName,
            requestId: event.requestId,
            input: {
              enrollmentId,
              workspaceId: event.workspaceId,
              automationId,
              contactId: event.contactId,
              enrolledAt: new Date().toISOString(),
              cause: eventCause(event.id),
              triggerEventId: event.id,
            },
          },
          { id: event.id, type: event.type, enrollmentId },
        )
      } catch (error) {
        failed.add(event.id)
        log.warn({ error, triggerEventId: event.id, automationId }, 'A trigger event is not delivered yet')
      }
    },
    { concurrency: CONCURRENCY },
  )
  await markDelivered(
    fork,
    events.map((event) => event.id).filter((id) => !failed.has(id)),
  )
}

/**
 * Delivers events in the request that made them. They are durable already: whatever goes wrong here, the relay
 * delivers them, and the request succeeds.
 */
export async function deliverAtOnce(dependencies: Dependencies, events: readonly TriggerEvent[]): Promise<void> {
  const owed = events.filter((event) => event.automationIds.length > 0)
  if (owed.length === 0) return
  try {
    await deliverTriggerEvents(dependencies, owed)
  } catch (error) {
    dependencies.log.warn({ error, triggerEventIds: owed.map(({ id }) => id) }, 'Trigger events are left to the relay')
  }
}
