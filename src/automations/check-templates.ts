import pMap from 'p-map'
import { invalid, unavailable } from '../platform/refusal.ts'
import { type StepInput, templatesOf } from './steps/index.ts'
import { type EmailContent, type Renderer, RendererBusy } from '../templates/index.ts'

/** How many emails of one request are tried at a time: others save, too. */
const CONCURRENCY = 2

/** How long trying all emails of one request may take. */
const PATIENCE_MS = 15_000

const TOO_BUSY = 'The service is too busy to try the templates at the moment; please try again'

/**
 * Tries the templates of steps, each once, however many steps have it.
 * @throws {Refusal} `invalid`, naming the first field that cannot be rendered within the limits; `unavailable` when the
 *   machine is too busy to tell
 */
export async function checkTemplates(
  renderer: Renderer,
  steps: readonly StepInput[],
  workspaceId: string,
): Promise<void> {
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
  await pMap(
    [...places.values()],
    async ({ content, index }) => {
      if (performance.now() > deadline) {
        throw invalid(
          `steps: trying their templates takes longer than ${PATIENCE_MS / 1000} s; make them simpler or fewer`,
        )
      }
      const [found] = await renderer.check(content, { owner: workspaceId }).catch((error: unknown) => {
        throw error instanceof RendererBusy ? unavailable(TOO_BUSY, error) : error
      })
      if (found) throw invalid(`steps[${index}].${found.field} is no valid template: ${found.problem}`)
    },
    { concurrency: CONCURRENCY },
  )
}
