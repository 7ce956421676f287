import { suggestion } from '../http/index.ts'
import { INVALID_TEMPLATE } from '../templates/index.ts'
import { BUSY, ApiError } from '../platform/api-error.ts'
import pMap from 'p-map'
import { type StepInput, templatesOf } from './steps/index.ts'
import { type EmailContent, type Renderer, RendererBusy, type UnknownVariable } from '../rendering/index.ts'

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
 * @returns warnings about probable mistakes
 * @throws {ApiError} `invalid`, naming the first field that cannot be rendered within the limits; `unavailable` if the machine
 * is too busy
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
        message: `steps[${index}].${found.field} is not a valid template: ${found.problem}`,
        param: `/steps/${index}/${found.field}`,
      })
    },
    { concurrency: CONCURRENCY },
  )
  return warnings.flat().slice(0, MAX_WARNINGS)
}

function inWords(index: number, { field, variable, nearest }: UnknownVariable): string {
  // A name can contain any character, and this goes into a header.
  return `/steps/${index}/${field}: {{ ${variable.replace(/[^ -~]/g, '?')} }} is not a known variable, so it is empty in every email${suggestion(nearest)}`
}
