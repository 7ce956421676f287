import type { EntityManager } from '../platform/db/orm.ts'
import { isId } from '../platform/ids.ts'
import { type CheckedPart, checkParts, leavesOf } from './checked-parts.ts'
import { comparedParts, type ComparedPart, type ComparedValue, shortValue } from './compared-values.ts'
import type { Condition } from './condition.ts'
import type { ConditionContext } from './condition-sql.ts'
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
  evaluation: Evaluation,
): Promise<boolean> {
  if (!isId(contactId)) return false
  const resolved = await resolveSegments(em, workspaceId, condition)
  return contactExistsWith(em, contactId, resolved, contextOf(workspaceId, evaluation))
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
  evaluation: Evaluation,
): Promise<boolean[] | undefined> {
  const resolved = await resolveAllSegments(em, workspaceId, conditions)
  return (await evaluateEach(em, contactId, resolved, contextOf(workspaceId, evaluation)))?.matches
}

/** Evaluates conditions as {@link matchesOf}, and returns the values that they compared, for an explanation. */
export async function explainMatches(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  conditions: readonly Condition[],
  evaluation: Evaluation,
): Promise<{ matches: boolean[]; values: ComparedValue[] } | undefined> {
  const resolved = await resolveAllSegments(em, workspaceId, conditions)
  const parts = comparedParts(conditions)
  const context = contextOf(workspaceId, evaluation)
  const found = await evaluateEach(em, contactId, resolved, context, [...parts.values()])
  if (!found) return undefined
  const values = [...parts.keys()].map((name, n) => ({ name, value: shortValue(found.compared[n]) }))
  return { matches: found.matches, values }
}

/**
 * Checks each part of a condition for a contact, with the value that it compared, if it compares one.
 *
 * @returns `undefined` if the contact does not exist
 */
export async function checkEachPart(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  condition: Condition,
  evaluation: Evaluation,
): Promise<(CheckedPart & { value: unknown })[] | undefined> {
  if (!isId(contactId)) return undefined
  const leaves = leavesOf(condition)
  const comparing = [...leaves].filter(
    (leaf): leaf is [string, ComparedPart] => 'field' in leaf[1] || 'metadata' in leaf[1],
  )
  const resolved = await resolveAllSegments(em, workspaceId, [...leaves.values()])
  const context = contextOf(workspaceId, evaluation)
  const parts = comparing.map(([, part]) => part)
  const found = await evaluateEach(em, contactId, resolved, context, parts)
  if (!found) return undefined
  const matches = new Map([...leaves.keys()].map((path, n) => [path, found.matches[n]!]))
  const values = new Map(comparing.map(([path], n) => [path, shortValue(found.compared[n])]))
  return checkParts(condition, matches).map((part) => ({ ...part, value: values.get(part.path) ?? null }))
}

const contextOf = (workspaceId: string, { at, eventData, stepData }: Evaluation): ConditionContext => ({
  workspaceId,
  at,
  eventData: { value: eventData },
  stepData: { value: stepData },
  isForFew: true,
})
