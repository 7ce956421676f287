import { run } from '../machine-state.ts'
import type { EngineStepType } from './step-type.ts'

/**
 * The part that all steps share whose activity decides what follows. Conditions, time zones and dates are evaluated there, and the
 * history contains only the result.
 */
export const byActivity = <Type extends string>(
  type: Type,
): Pick<EngineStepType<{ id: string; type: Type }, { id: string; type: Type }>, 'outlineOf' | 'describe' | 'enter'> & {
  isRunByActivity: true
} => ({
  outlineOf: (step) => ({ id: step.id, type }),
  describe: () => type,
  enter: ({ id }, { state }) => run(state, id),
  isRunByActivity: true,
})
