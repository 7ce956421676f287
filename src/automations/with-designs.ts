import type { ApiDependencies } from '../http/index.ts'
import { assertCompiles, compileTemplate, MAX_COMPILING_MS } from '../templates/index.ts'
import { flattenSteps } from './step-tree.ts'
import { mapSteps, type StepInput } from './steps/index.ts'

/**
 * Compiles the emails of blocks in steps. A step with a template has its content instead.
 * @throws {ApiError} `invalid_template`; `busy` if the machine is too busy
 */
export async function withDesigns(
  { em, renderer }: Pick<ApiDependencies, 'em' | 'renderer'>,
  workspaceId: string,
  steps: readonly StepInput[],
): Promise<StepInput[]> {
  const until = performance.now() + MAX_COMPILING_MS
  const compiled = new Map<StepInput, StepInput>()
  for (const { step, path, pointer } of flattenSteps(steps)) {
    if (step.type !== 'EMAIL' || step.made || step.design === undefined) continue
    const { subject = '', previewText = null, text = null, design } = step
    const written = { format: 'BLOCKS', layoutId: null, translations: {}, html: null } as const
    const compilation = await compileTemplate(em.fork(), renderer, workspaceId, {
      kind: 'EMAIL',
      written: { ...written, subject, previewText, text, design },
      until,
    })
    assertCompiles(compilation, `${path}.`, pointer)
    const { content } = compilation.compiled
    if (content) compiled.set(step, { ...step, compiled: content })
  }
  return mapSteps(steps, (step) => compiled.get(step) ?? step)
}
