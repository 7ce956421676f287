import type { EnrollmentInput, EnrollmentProgress } from './messages.ts'

/** What a step's runner works on: the enrollment's ids, where it is, and what has been heard meanwhile. */
export interface EnrollmentRun {
  readonly input: EnrollmentInput
  readonly progress: EnrollmentProgress
  /** Counts `automationChanged`, so that one that comes while a step is busy is not missed. */
  changes: number
  held: boolean
  /** Shows operators where the enrollment is: the UI's current details. */
  show(): void
}

/** A step's runner says whether the sequence goes on, ends here, or has to continue in a new run. */
export type StepResult = 'go-on' | 'stop' | 'gone' | 'continue-as-new'
