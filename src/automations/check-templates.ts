import { orMeant } from '../http/index.ts'
import { INVALID_TEMPLATE } from '../templates/index.ts'
import { BUSY, ApiError } from '../platform/api-error.ts'
import pMap from 'p-map'
import { type StepInput, templatesOf } from './steps/index.ts'
import { type EmailContent, type Renderer, RendererBusy, type UnknownVariable } from '../rendering/index.ts'

/** How many emails of one request are tried at a time: others save, too. */
const CONCURRENCY = 2

/** How long trying all emails of one request may take. */
const PATIENCE_MS = 15_000

/** So many are told of at once. */
export const MAX_WARNINGS = 5

const TOO_BUSY = 'The service is too busy to try the templates at the moment; please try again'
/** All of them together are too much. */
const TOO_LONG = `steps: trying their templates takes longer than ${PATIENCE_MS / 1000} s; make them simpler or fewer`

/**
 * Tries the templates of steps, each once, however many steps have it.
 *
 * @returns warnings of what is most likely not meant
 * @throws {ApiError} `invalid`, naming the first field that cannot be rendered within the limits; `unavailable` when the
 *   machine is too busy to tell
 */
export async function checkTemplates(
  renderer: Renderer,
  steps: readonly StepInput[],
  workspaceId: string,
): Promise<string[]> {
  const places = new Map<string, { content: EmailContent; index: number }>()
  steps.forEach((step, index) => {
    const content = templatesOf(step)
    if (!content) return
    const key = [content.subject, content.html, content.text]
      .map((text) => `${text?.length ?? -1}:${text ?? ''}`)
      .join()
    if (!places.has(key)) places.set(key, { content, index })
  })
  const deadline = performance.now() + PATIENCE_MS
  const warnings = await pMap(
    [...places.values()],
    async ({ content, index }) => {
      if (performance.now() > deadline) {
        throw new ApiError(INVALID_TEMPLATE, { message: TOO_LONG, param: '/steps' })
      }
      const { problems, unknownVariables } = await renderer
        .check(content, { owner: workspaceId })
        .catch((error: unknown) => {
          throw error instanceof RendererBusy ? new ApiError(BUSY, { message: TOO_BUSY, cause: error }) : error
        })
      const [found] = problems
      if (!found) return unknownVariables.map((unknown) => inWords(index, unknown))
      throw new ApiError(INVALID_TEMPLATE, {
        message: `steps[${index}].${found.field} is no valid template: ${found.problem}`,
        param: `/steps/${index}/${found.field}`,
      })
    },
    { concurrency: CONCURRENCY },
  )
  return warnings.flat().slice(0, MAX_WARNINGS)
}

function inWords(index: number, { field, variable, nearest }: UnknownVariable): string {
  // A name can hold anything, and this stands in a header.
  return `/steps/${index}/${field}: {{ ${variable.replace(/[^ -~]/g, '?')} }} is unknown, and empty in every email${orMeant(nearest)}`
}
