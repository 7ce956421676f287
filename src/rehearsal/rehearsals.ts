import { enqueueRehearsal } from '../outbox/index.ts'
import { ApiError } from '../platform/api-error.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { isId, NIL_ID } from '../platform/ids.ts'
import { audienceOf, settingOf, startOf } from './advance-rehearsal.ts'
import { Rehearsal } from './entities.ts'
import { REHEARSAL_NOT_FOUND, REHEARSAL_NOT_RUNNING, TOO_MANY_REHEARSALS } from './errors.ts'
import { countAudience, readContacts } from './facts-queries.ts'
import type { RehearsalPlan } from './plan.ts'
import { rehearsePerson } from './rehearse-people.ts'
import type { RehearsedCourse } from './rehearse-contact.ts'
import { prepare } from './rehearsed-automation.ts'
import { endRehearsal, lockWorkspace } from './store-queries.ts'
import { emptySummary } from './summary.ts'

/** Rehearsals that run at a time in a workspace. */
const MAX_RUNNING = 3

/**
 * Starts a rehearsal for many contacts, which the worker runs.
 *
 * Race: concurrent requests count before one of them stores its rehearsal, and exceed the limit. Guard: they take a lock of the workspace,
 * and count one after the other. Test: test/rehearsal/rehearsals.test.ts.
 *
 * @param requestedBy an email address, or the name of a key
 * @throws {ApiError} `too_many_rehearsals`
 */
export function startRehearsal(
  em: EntityManager,
  workspaceId: string,
  { id, plan, requestedBy }: { id: string; plan: RehearsalPlan; requestedBy: string },
): Promise<Rehearsal> {
  return unitOf(em).transactional(async (unit) => {
    await lockWorkspace(unit, workspaceId)
    if ((await unit.count(Rehearsal, { workspaceId, status: 'RUNNING' })) >= MAX_RUNNING)
      throw new ApiError(TOO_MANY_REHEARSALS)
    const audience = await audienceOf(unit, workspaceId, plan.segmentId, new Date(plan.from))
    const rehearsal = unit.create(Rehearsal, {
      ...{ id, workspaceId, plan, requestedBy, automationId: plan.rehearsed.id, status: 'RUNNING', done: 0 },
      summary: emptySummary(plan.current !== null),
      total: await countAudience(unit, audience),
      afterId: NIL_ID,
    })
    await unit.flush()
    await enqueueRehearsal(unit, { id, workspaceId })
    return rehearsal
  })
}

/** The result of a rehearsal for one contact, beside the one for the current version. */
export interface ContactRehearsal {
  course: RehearsedCourse
  inCurrent: RehearsedCourse | null
}

/**
 * Rehearses an automation for one contact, without storing anything. Earlier enrollments do not keep the contact out.
 *
 * @returns `undefined` if the contact does not exist
 */
export async function rehearseForContact(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  plan: RehearsalPlan,
): Promise<ContactRehearsal | undefined> {
  if (!isId(contactId)) return undefined
  const { setting, wanted } = await settingOf(em, workspaceId, plan)
  const [state] = await readContacts(em, workspaceId, [contactId], wanted)
  if (!state) return undefined
  const person = { state, entries: [{ at: plan.from, event: startOf(plan) }], lastEnrollment: null }
  const rehearse = (rules: RehearsalPlan['rehearsed']) => rehearsePerson(prepare(rules), person, setting, plan.supposed)
  return { course: rehearse(plan.rehearsed), inCurrent: plan.current && rehearse(plan.current) }
}

/** @throws {ApiError} `rehearsal_not_found` */
export async function getRehearsal(em: EntityManager, workspaceId: string, id: string): Promise<Rehearsal> {
  const rehearsal = isId(id) ? await unitOf(em).findOne(Rehearsal, { id, workspaceId }) : null
  if (!rehearsal) throw new ApiError(REHEARSAL_NOT_FOUND)
  return rehearsal
}

/** Ends a rehearsal early. What it found so far stays. @throws {ApiError} `rehearsal_not_found`; `rehearsal_not_running` */
export async function cancelRehearsal(em: EntityManager, workspaceId: string, id: string): Promise<Rehearsal> {
  await getRehearsal(em, workspaceId, id)
  if (!(await endRehearsal(em, id, 'CANCELLED'))) throw new ApiError(REHEARSAL_NOT_RUNNING)
  return getRehearsal(em, workspaceId, id)
}

/** Ends a rehearsal whose next page cannot be rehearsed. */
export async function failRehearsal(em: EntityManager, id: string): Promise<void> {
  await endRehearsal(
    em,
    id,
    'FAILED',
    'A page of contacts could not be rehearsed. The log of the worker has the error.',
  )
}
