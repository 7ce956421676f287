import { invalid } from '../platform/api-error.ts'
import { isId } from '../platform/ids.ts'
import { foldName } from '../triggers/index.ts'
import type { Step } from './steps/index.ts'

/** The IDs of an automation's steps, by their names, and by the IDs that a request gave to new steps. */
export type StepIds = ReadonlyMap<string, string>

/** @param steps the steps, with the IDs that a request gave them, if any */
export const stepIdsOf = (steps: readonly { step: Step; givenId?: string | undefined }[]): StepIds =>
  new Map(
    steps.flatMap(({ step: { id, name }, givenId }) => [
      ...(name == null ? [] : [[foldName(name), id] as const]),
      ...(givenId === undefined ? [] : [[givenId, id] as const]),
    ]),
  )

/**
 * Replaces the names of steps by their IDs in the conditions on messages. So a request can refer to a step that it creates, and a
 * copy of an automation refers to its own steps.
 *
 * @throws {ApiError} `invalid` if no step has the name
 */
export function withStepIds<Json>(json: Json, ids: StepIds, path: string): Json {
  if (Array.isArray(json)) return json.map((each, n) => withStepIds(each as unknown, ids, `${path}[${n}]`)) as Json
  if (typeof json !== 'object' || json === null) return json
  const read = ([key, value]: [string, unknown]) => {
    if (key !== 'message' || typeof value !== 'string') return [key, withStepIds(value, ids, `${path}.${key}`)]
    const id = ids.get(value) ?? ids.get(foldName(value))
    if (id === undefined && !isId(value))
      throw invalid(
        `${path}.message must be the name or ID of an email step, or the ID of a campaign`,
        pointerTo(`${path}.message`),
      )
    return [key, id ?? value]
  }
  return Object.fromEntries(Object.entries(json).map(read)) as Json
}

const pointerTo = (path: string): string => `/${path.replace(/\[(\d+)\]/g, '/$1').replaceAll('.', '/')}`
