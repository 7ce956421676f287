export {
  type Arrival,
  clockSignal,
  type DueStep,
  skipSignal,
  wakeSignal,
  type EnrollmentInput,
  type EnrollmentResult,
  type EnrollmentWorkflow,
  enterSignal,
  type Entry,
  leaveSignal,
  moveSignal,
  type InstanceRef,
  stateQuery,
} from './contract.ts'
export {
  callDedupKey,
  type EndStatus,
  ENROLLMENT_STATUSES,
  type ContactInAutomation,
  type Place,
  placeOf,
  type EnrollmentStatus,
  enrollmentWorkflowId,
  eventDedupKey,
  type ReceivedEvents,
  contactInAutomationColumns,
} from './enrollment.ts'
export {
  campaignChangedSignal,
  type CampaignInput,
  type CampaignStep,
  type CampaignWorkflow,
  campaignWorkflowId,
} from './campaign.ts'
export {
  ENGINE_VERSION,
  enter,
  type MachineEvent,
  nextTransition,
  positionOf,
  type Progress,
  type StepResult,
} from './machine.ts'
export { firstStop, type Stop, stopAfter, stopAt, stopOfState, stopOfWait } from './next-stop.ts'
export { type BranchRef, branchStart, successorOf } from './tree.ts'
export { type Effect, INITIAL_STATE, type MachineState } from './machine-state.ts'
export {
  retryRequestedSignal,
  type RetryInput,
  type RetryResult,
  type RetryWorkflow,
  retryWorkflowId,
} from './retry.ts'
export { plainMarkdown } from './plain-markdown.ts'
export {
  AUTOMATION_STATUSES,
  type AutomationStatus,
  SEND_FAILURE_POLICIES,
  type SendFailurePolicy,
  SENDING_STATUSES,
  canSend,
} from './policies.ts'
export {
  describeStep,
  describeType,
  EMAIL_CATEGORIES,
  type EmailCategory,
  MAX_BRANCH_DEPTH,
  MAX_STEPS,
  outlinesOf,
  STEP_TYPES,
  type StepOutline,
  type StepType,
  type StoredStep,
  withoutSuccessors,
  withSuccessors,
} from './steps/index.ts'
export { describeDelay, MAX_DELAY_MINUTES } from './steps/wait.ts'
export { type ConditionJson, ELSE } from './steps/condition.ts'
export { RECEIVED, TIMED_OUT } from './steps/wait-for-event.ts'
export { type WaitTarget, WEEKDAYS } from './steps/wait-until.ts'
export { WEBHOOK_METHODS, type WebhookMethod } from './steps/webhook.ts'
