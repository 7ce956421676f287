import type { EntityManager } from '../platform/db/orm.ts'
import { ApiError } from '../platform/api-error.ts'
import { getTemplate, overruled, TEMPLATE_NOT_FOUND } from '../templates/index.ts'
import type { StepInput } from './steps/index.ts'

/**
 * Finds what the templates say that steps name: from then on it is theirs, whatever becomes of the templates. One that is gone leaves
 * what the step says itself, so that a step that was read can be written.
 *
 * @throws {ApiError} `template_not_found`, where that is nothing
 */
export async function withTemplates(
  em: EntityManager,
  workspaceId: string,
  steps: readonly StepInput[],
): Promise<StepInput[]> {
  const made: StepInput[] = []
  for (const [index, step] of steps.entries()) {
    made.push(
      step.type === 'EMAIL' && step.templateId != null ? await withTemplate(em, workspaceId, step, index) : step,
    )
  }
  return made
}

/** What steps say beside a template that says something else: it is the template's that is sent. */
export const overruledIn = (steps: readonly StepInput[]): string[] =>
  steps
    .flatMap((step, index) =>
      step.type === 'EMAIL' && step.made ? overruled(step, step.made.content, `/steps/${index}`) : [],
    )
    .slice(0, MAX_OVERRULED)

/** What is unknown in a template is to be told beside it, and a header is short. */
const MAX_OVERRULED = 2

async function withTemplate(
  em: EntityManager,
  workspaceId: string,
  step: Extract<StepInput, { type: 'EMAIL' }>,
  index: number,
): Promise<StepInput> {
  try {
    const { template, written } = await getTemplate(
      em,
      workspaceId,
      step.templateId!,
      step.templateVersion ?? undefined,
    )
    const { content, translations } = written.compiled
    if (template.kind !== 'EMAIL' || content === null) throw new ApiError(TEMPLATE_NOT_FOUND)
    return { ...step, made: { version: written.version, content, translations } }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== TEMPLATE_NOT_FOUND.code) throw error
    if (step.subject !== undefined) return { ...step, templateId: null, templateVersion: null }
    throw new ApiError(TEMPLATE_NOT_FOUND, {
      message: `steps[${index}].templateId: there is no such template of the kind EMAIL, or no such version of it`,
      param: `/steps/${index}/templateId`,
    })
  }
}
