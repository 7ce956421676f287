import { readClockAhead } from '../workspaces/index.ts'
import type { EventOrCondition, ExitRule } from '../automations/index.ts'
import { dismissMessages, ENROLLMENT_ENDED } from '../messages/index.ts'
import { type Delivery, enqueueForCaller, enqueueForRelay } from '../outbox/index.ts'
import { addEffects, type OtherEffects } from '../triggers/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { conditionRules, eventRules, firstApplying, type LeaveRule, type LeaveStatus } from './leave-rules.ts'
import {
  awaitingEnrollments,
  endByRule,
  eventsSinceEntry,
  type OptOut,
  unsubscribedEnrollments,
} from './leave-queries.ts'
import { isReachedBy, type KeyedEnrollment } from './entry-rules.ts'
import { lockEnrollments } from './step-queries.ts'

/** An event of a contact that has just been stored. */
export interface StoredEvent {
  workspaceId: string
  contactId: string
  /** The hash of its name: see `eventKeyOf`. */
  eventKey: string
  data: unknown
  at: Date
  /** Whether the relay ends the workflows, in the bulk lane. */
  isBulk: boolean
}

/**
 * Ends the enrollments of a contact whose goal or exit rule is an event. After the commit, none of their emails is claimed.
 *
 * Race: the event arrives while the enrollment is recorded. Guard: the event's transaction locks the contact exclusively, and
 * recording shares that lock and looks for such events after it (`leaveByEarlierEvent`). Test: test/steps/events.test.ts.
 *
 * @param em the transaction that stores the event, and has locked the contact
 * @returns the deliveries for the caller, which end the workflows, and the automations that the contact left
 */
export async function leaveByEvent(
  em: EntityManager,
  { workspaceId, contactId, eventKey, data, at, isBulk }: StoredEvent,
): Promise<{ deliveries: Delivery[]; ended: OtherEffects['ended'] }> {
  const left: Leaving[] = []
  for (const enrollment of await awaitingEnrollments(em, contactId, eventKey)) {
    if (!(await isReachedBy(em, enrollment, data))) continue
    const rules = eventRules(enrollment, eventKey)
    const rule = await firstApplying(em, { workspaceId, contactId }, rules, { at, eventData: data })
    const { id, automationId, concurrencyKey } = enrollment
    if (rule) left.push({ id, place: { workspaceId, automationId, contactId, concurrencyKey }, rule })
  }
  return endByRules(em, left, isBulk)
}

const UNSUBSCRIBED: LeaveRule = { status: 'EXITED', rule: { event: 'unsubscribed' }, condition: undefined }

/**
 * Ends the enrollments that have the exit rule `unsubscribed`. Without that rule, an opt-out ends nothing: the enrollment continues
 * without marketing emails.
 *
 * @param em the transaction that stores the opt-outs, and has locked the contacts
 * @returns the deliveries for the caller, which end the workflows; none in bulk
 */
export async function leaveByOptOut(
  em: EntityManager,
  optOuts: readonly OptOut[],
  { isBulk = false }: { isBulk?: boolean } = {},
): Promise<Delivery[]> {
  const found = await unsubscribedEnrollments(em, optOuts)
  const left = found.map(({ id, ...place }) => ({ id, place, rule: UNSUBSCRIBED }))
  return (await endByRules(em, left, isBulk)).deliveries
}

/** An enrollment that a rule ends. */
interface Leaving {
  id: string
  place: { workspaceId: string; automationId: string; contactId: string; concurrencyKey: string }
  rule: LeaveRule
}

/** Ends enrollments, and their workflows by the caller, or in the bulk lane by the relay. */
async function endByRules(em: EntityManager, left: readonly Leaving[], isBulk: boolean) {
  await lockEnrollments(
    em,
    left.map(({ id }) => id),
  )
  const leaving = []
  const ended: OtherEffects['ended'] = []
  for (const { id: enrollmentId, place, rule } of left) {
    if (!(await endEnrollmentByRule(em, enrollmentId, rule))) continue
    leaving.push({ kind: 'LEAVE' as const, ...place, enrollmentId })
    ended.push({ automationId: place.automationId, status: rule.status })
  }
  const deliveries: Delivery[] = isBulk ? [] : await enqueueForCaller(em, leaving)
  if (isBulk) await enqueueForRelay(em, leaving)
  return { deliveries, ended }
}

/**
 * Ends an enrollment if the contact had an event of its goal or an exit rule after it began and before it was recorded.
 *
 * @returns how it ended, if it did
 */
export async function leaveByEarlierEvent(
  em: EntityManager,
  { enrollmentId, ...enrollment }: LeavingEnrollment & KeyedEnrollment,
): Promise<LeaveStatus | undefined> {
  const clockAhead = await readClockAhead(em, enrollment.workspaceId)
  for (const { id, automationId, eventKey, data, at: heardAt } of await eventsSinceEntry(em, enrollmentId)) {
    const at = new Date(heardAt.getTime() + clockAhead)
    if (!(await isReachedBy(em, enrollment, data))) continue
    const rule = await firstApplying(em, enrollment, eventRules(enrollment, eventKey), { at, eventData: data })
    if (!rule) continue
    await em.transactional(async (unit) => {
      if (await endEnrollmentByRule(unit, enrollmentId, rule))
        await addEffects(unit, [{ id, effects: { ended: [{ automationId, status: rule.status }] } }])
    })
    return rule.status
  }
  return undefined
}

/** An enrollment with the rules of its version. */
export interface LeavingEnrollment {
  enrollmentId: string
  workspaceId: string
  contactId: string
  exitOn: readonly ExitRule[]
  goal: EventOrCondition | null
  event: { data: unknown } | null
  stepData?: Record<string, unknown>
}

/**
 * Ends an enrollment if one of its conditions is true now.
 *
 * @returns how it ended, if it did
 */
export async function leaveByCondition(
  em: EntityManager,
  { enrollmentId, event, stepData, ...enrollment }: LeavingEnrollment,
  at: Date,
): Promise<LeaveStatus | undefined> {
  const rules = conditionRules(enrollment)
  if (rules.length === 0) return undefined
  const rule = await firstApplying(em, enrollment, rules, { at, eventData: event?.data, stepData })
  if (!rule) return undefined
  await em.transactional((unit) => endEnrollmentByRule(unit, enrollmentId, rule))
  return rule.status
}

/** Ends an enrollment, and dismisses its messages that are not final. @returns whether it was active */
export async function endEnrollmentByRule(em: EntityManager, enrollmentId: string, rule: LeaveRule): Promise<boolean> {
  if (!(await endByRule(em, enrollmentId, rule))) return false
  await dismissMessages(em, { enrollmentIds: [enrollmentId] }, ENROLLMENT_ENDED)
  return true
}
