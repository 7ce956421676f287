import type { StepOutline, StepType } from '../../src/domain/steps.ts'
import type { EnrollmentRun, StepResult } from '../run.ts'
import { runEmail } from './email.ts'
import { runWait } from './wait.ts'

type Runner<Type extends StepType> = (
  run: EnrollmentRun,
  step: Extract<StepOutline, { type: Type }>,
  published: ReadonlySet<number>,
) => Promise<StepResult>

/** One runner a step type. A type without one does not compile. */
const RUNNERS = { EMAIL: runEmail, WAIT: runWait } satisfies { [Type in StepType]: Runner<Type> }

/**
 * Runs a step to its end, or until the run has to hand over to a new one.
 * @param published the positions of the waits whose end is a search attribute; see `search-attributes.ts`.
 */
export const runStep: Runner<StepType> = (run, step, published) =>
  (RUNNERS[step.type] as Runner<StepType>)(run, step, published)
