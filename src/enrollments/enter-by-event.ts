import { readClockAhead } from '../workspaces/index.ts'
import { completeDeliveries, type Dependencies } from '../outbox/index.ts'
import { eventDedupKey, type Place } from '../automation-engine/index.ts'
import { lockContactsAgainstErasure } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { type EntryRule, type RefusedEntryWrite } from '../triggers/index.ts'
import { type Admission, concurrencyKeyOf, decideEntry, type EntryRequest } from './entry-rules.ts'
import { findActive } from './queries.ts'
import { type RestartedConfirmation, endForNewConfirmation } from './end-queries.ts'
import { isStillEnrolled } from './reconcile-enrollments.ts'
import { refuseEntry } from './refuse-entry.ts'
import type { Start } from './start-queries.ts'

/** An event that was recorded for an automation and a contact. The enrollment is the one that it starts, if it starts one. */
export interface EntryByEvent extends Place {
  workspaceId: string
  eventId: string
  enrollmentId: string
}

/**
 * Lets a contact enter an automation by an event: starts an enrollment, lets the running one receive the event, or records which rule
 * kept the contact out. Safe to repeat: an event starts an enrollment once.
 */
export async function enterByEvent(
  dependencies: Dependencies,
  { workspaceId, eventId, enrollmentId, ...place }: EntryByEvent,
  start: Start,
): Promise<void> {
  const { enrollments } = dependencies
  const { automationId, contactId } = place
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
  const clockAhead = await readClockAhead(dependencies.em.fork(), workspaceId)
  const input = {
    ...ids,
    ...(key && { concurrencyKey: key }),
    enrolledAt,
    clockAhead,
    dedupKey,
    triggerEventId: eventId,
  }
  return enrollments.enter({ automationName, requestId, input }, isIn ? activeId : null)
}

/** Decides whether the contact of a START may enter. */
async function admit(
  em: EntityManager,
  { concurrencyKey, ...ids }: Place & Pick<EntryRequest, 'workspaceId' | 'dedupKey'>,
  { entry, eventData, isDecided }: Start,
): Promise<Admission> {
  if (isDecided) return { concurrencyKey }
  const key = await concurrencyKeyOf(em, entry.concurrency, eventData)
  return decideEntry(em, entry, key, { ...ids, eventData })
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
