import type { EntityManager } from '../platform/db/orm.ts'
import { isId } from '../platform/ids.ts'
import type { Condition } from './condition.ts'
import { contactExistsWith, evaluateEach } from './queries.ts'
import { resolveAllSegments, resolveSegments } from './resolve-segments.ts'

/** The instant of an evaluation, and data that only some conditions use. */
export interface Evaluation {
  at: Date
  /** The data of the event at hand. */
  eventData?: unknown
  /** The data that each step saved, by the name of the step. */
  stepData?: Record<string, unknown> | undefined
}

/** Evaluates a condition for one contact. A contact that does not exist, or is in another workspace, matches no condition. */
export async function contactMatches(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  condition: Condition,
  { at, eventData, stepData }: Evaluation,
): Promise<boolean> {
  if (!isId(contactId)) return false
  return contactExistsWith(em, contactId, await resolveSegments(em, workspaceId, condition), {
    workspaceId,
    at,
    eventData: { value: eventData },
    stepData: { value: stepData },
    isForFew: true,
  })
}

/**
 * Evaluates conditions for one contact, at once.
 *
 * @returns whether each is true; `undefined` if the contact does not exist
 */
export async function matchesOf(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  conditions: readonly Condition[],
  { at, eventData, stepData }: Evaluation,
): Promise<boolean[] | undefined> {
  const resolved = await resolveAllSegments(em, workspaceId, conditions)
  return evaluateEach(em, contactId, resolved, {
    workspaceId,
    at,
    eventData: { value: eventData },
    stepData: { value: stepData },
    isForFew: true,
  })
}
