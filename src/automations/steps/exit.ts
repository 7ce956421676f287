import { presentCommon, stepInputOf, stepResponseOf } from './fields.ts'
import type { AutomationStepType, StepFields, StepBase } from './step-type.ts'

export type ExitStep = StepBase<'EXIT'>

/** Ends the enrollment. */
export const exit: AutomationStepType<'EXIT', ExitStep, StepFields<ExitStep>> = {
  input: stepInputOf('EXIT', {}).meta({ component: 'ExitStepInput', description: 'Ends the enrollment as EXITED.' }),
  shape: stepResponseOf('EXIT', {}).meta({ component: 'ExitStep', description: 'Ends the enrollment as EXITED.' }),
  fromInput: ({ type, name }, id) => ({ id, type, ...(name != null && { name }) }),
  toAnswer: presentCommon,
  store: (step) => step,
  restore: (stored) => stored,
}
