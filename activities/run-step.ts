import type { StepResult } from '../src/automation-engine/index.ts'
import * as steps from '../src/steps/index.ts'
import type { InstanceRef } from './check-instance.ts'
import type { ActivityDependencies } from './dependencies.ts'

export interface RunStepInput extends steps.StepToRun, InstanceRef {
  /** The type of a step that waits for another server. */
  type?: 'WEBHOOK'
}

/** Runs a step that is not an email, and returns what follows. */
export const runStep = (dependencies: ActivityDependencies, input: RunStepInput): Promise<StepResult> =>
  steps.runStep(dependencies, input)
