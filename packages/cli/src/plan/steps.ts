import type { JsonObject } from './convert.ts'

/** Returns the branches of a step, in files and in the API. */
function branchesOf(step: JsonObject): JsonObject[][] {
  const branches = Array.isArray(step['branches']) ? (step['branches'] as (JsonObject | null)[]) : []
  const lists = [...branches.map((branch) => branch?.['steps']), step['else'], step['received'], step['timedOut']]
  return lists.map((steps) => (Array.isArray(steps) ? (steps as JsonObject[]) : []))
}

/** Lists the steps of a tree, each before those of its branches. Invalid items are left out. */
export function flattenSteps(steps: unknown): JsonObject[] {
  if (!Array.isArray(steps)) return []
  const valid = steps.filter((step): step is JsonObject => typeof step === 'object' && step !== null)
  return valid.flatMap((step) => [step, ...branchesOf(step).flatMap(flattenSteps)])
}

/** Describes the types of steps in their places. */
const outlineOf = (steps: unknown): string =>
  Array.isArray(steps)
    ? (steps as (JsonObject | null)[])
        .map((step) => `${String(step?.['type'])}(${step ? branchesOf(step).map(outlineOf).join('|') : ''})`)
        .join()
    : ''

/** IDs of steps in the workspace, by their IDs in the file, where they differ. */
export type StepIds = Readonly<Record<string, string>>

/** Returns the ID in the workspace of a step of a file, whose ID can be any text: also `constructor`. */
export const idInApi = (steps: StepIds, id: string): string => (Object.hasOwn(steps, id) ? steps[id]! : id)

/** Matches the steps of a file with those of an automation, if both have the same types in the same places. */
export function matchSteps(ofFile: unknown, ofApi: unknown): StepIds {
  if (outlineOf(ofFile) !== outlineOf(ofApi)) return {}
  const there = flattenSteps(ofApi)
  const pairs = flattenSteps(ofFile).map(({ id }, n) => [String(id), String(there[n]?.['id'])] as const)
  return Object.fromEntries(pairs.filter(([given, actual]) => given !== actual))
}

/**
 * Removes references to templates that no longer exist. Their emails have a copy of the content, which the API uses when it gets
 * the steps again.
 */
export function withoutDeletedTemplates(automation: JsonObject, exists: (templateId: string) => boolean): JsonObject {
  const copy = structuredClone(automation)
  for (const step of flattenSteps(copy['steps'])) {
    const { templateId } = step
    if (typeof templateId === 'string' && !exists(templateId))
      Object.assign(step, { templateId: null, templateVersion: null })
  }
  return copy
}
