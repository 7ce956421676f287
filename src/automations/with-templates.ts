import type { EntityManager } from '../platform/db/orm.ts'
import { ApiError } from '../platform/api-error.ts'
import { getTemplate, ignoredContentWarning, TEMPLATE_NOT_FOUND } from '../templates/index.ts'
import type { StepInput } from './steps/index.ts'

/**
 * Copies the contents of the named templates into steps: later changes to a template do not affect them. If a template was
 * deleted, the content of the step itself is used, so that a step that was read can be written again.
 *
 * @throws {ApiError} `template_not_found` if there is no such content
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

/** Warnings about contents of steps that differ from their template. The template's content is sent. */
export const ignoredContentWarnings = (steps: readonly StepInput[]): string[] =>
  steps
    .flatMap((step, index) =>
      step.type === 'EMAIL' && step.made ? ignoredContentWarning(step, step.made.content, `/steps/${index}`) : [],
    )
    .slice(0, MAX_OVERRULED)

/** A response header is short, and also needs space for warnings about variables. */
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
      message: `steps[${index}].templateId: there is no template of the kind EMAIL with this ID and version`,
      param: `/steps/${index}/templateId`,
    })
  }
}
