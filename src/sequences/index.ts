export {
  type Arrival,
  automationChangedSignal,
  type EnrollmentInput,
  type EnrollmentResult,
  type EnrollmentWorkflow,
  enterSignal,
  type Entry,
  stateQuery,
} from './contract.ts'
export {
  callCause,
  type EndStatus,
  type EnrollmentStatus,
  enrollmentWorkflowId,
  eventCause,
  type Heard,
} from './enrollment.ts'
export { type Effect, ENGINE, type Happening, INITIAL, type MachineState, next, positionOf } from './machine.ts'
export {
  AUTOMATION_STATUSES,
  type AutomationStatus,
  SEND_FAILURE_POLICIES,
  type SendFailurePolicy,
  SENDING_STATUSES,
} from './policies.ts'
export {
  describeDelay,
  describeStep,
  type EmailContent,
  type EmailStep,
  MAX_DELAY_MINUTES,
  MAX_STEPS,
  outlineOf,
  type Step,
  STEP_TYPES,
  type StepOutline,
  type StepType,
  type StoredStep,
  type WaitStep,
} from './steps.ts'
