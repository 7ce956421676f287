import { orMeant } from '../platform/nearest-name.ts'
import { assertVariablesExist, INVALID_TEMPLATE } from '../templates/index.ts'
import { BUSY, ApiError } from '../platform/api-error.ts'
import pMap from 'p-map'
import { flattenSteps } from './step-tree.ts'
import { type StepInput, templatesOf } from './steps/index.ts'
import type { StepTemplate } from './steps/step-type.ts'
import type { TextPath } from './webhook-texts.ts'
import { type Absent, type Renderer, RendererBusy, type UnknownVariable } from '../rendering/index.ts'

/** The number of emails of one request that are test-rendered concurrently. Other requests also need the renderer. */
const CONCURRENCY = 2

/** The time limit for all emails of one request. */
const PATIENCE_MS = 15_000

/** The maximum number of warnings in a response. */
export const MAX_WARNINGS = 5

const TOO_BUSY = 'The service is too busy to check the templates. Try again later.'
/** The error when all emails together exceed the time limit. */
const TOO_LONG = `steps: checking their templates takes longer than ${PATIENCE_MS / 1000} s. Simplify or remove some.`

/**
 * Test-renders the templates of steps. Templates that several steps share are rendered once.
 *
 * @param absent the variables that emails of this automation do not have; `undefined` if it does not go live
 * @returns warnings about probable mistakes
 * @throws {ApiError} `invalid`, naming the first field that cannot be rendered within the limits; `unavailable` if the machine
 * is too busy; `variable_missing`
 */
export async function checkTemplates(
  renderer: Renderer,
  steps: readonly StepInput[],
  workspaceId: string,
  absent: Absent | undefined,
): Promise<string[]> {
  const places = new Map<string, StepTemplate & { path: string; pointer: string }>()
  for (const { step, path, pointer } of flattenSteps(steps)) {
    for (const template of templatesOf(step)) {
      const { subject, html, text } = template.content
      const key = [subject, html, text].map((each) => `${each?.length ?? -1}:${each ?? ''}`).join()
      if (!places.has(key)) places.set(key, { ...template, path, pointer })
    }
  }
  const deadline = performance.now() + PATIENCE_MS
  const warnings = await pMap(
    [...places.values()],
    async ({ content, pathOf, path, pointer }) => {
      if (performance.now() > deadline) {
        throw new ApiError(INVALID_TEMPLATE, { message: TOO_LONG, param: '/steps' })
      }
      const { problems, variables, unknownVariables } = await renderer
        .check(content, { owner: workspaceId })
        .catch((error: unknown) => {
          throw error instanceof RendererBusy ? new ApiError(BUSY, { message: TOO_BUSY, cause: error }) : error
        })
      const [found] = problems
      if (!found) {
        if (absent) assertVariablesExist(variables, absent, { path, pointer })
        return unknownVariables.map((unknown) => inWords(pointer + pointerTo(pathOf(unknown.field)), unknown))
      }
      throw new ApiError(INVALID_TEMPLATE, {
        message: `${path}${pathTo(pathOf(found.field))} is not a valid template: ${found.problem}`,
        param: pointer + pointerTo(pathOf(found.field)),
      })
    },
    { concurrency: CONCURRENCY },
  )
  return warnings.flat().slice(0, MAX_WARNINGS)
}

/** Maximum length of a path in a message: keys of a body can be long. */
const MAX_PATH_LENGTH = 200

const pathTo = (path: TextPath): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .slice(0, MAX_PATH_LENGTH)

/** A JSON pointer (RFC 6901). */
const pointerTo = (path: TextPath): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

function inWords(pointer: string, { variable, nearest }: UnknownVariable): string {
  // A name can contain any character, and this goes into a header.
  const plain = (text: string) => text.slice(0, MAX_PATH_LENGTH).replace(/[^ -~]/g, '?')
  return `${plain(pointer)}: {{ ${plain(variable)} }} is not a known variable, so it is empty in every email${orMeant(nearest)}`
}
