export { StepRun, WebhookSecret } from './entities.ts'
export { runStep, type RunDependencies, type StepToRun } from './run-step.ts'
export { createSendRequest } from './send-request.ts'
export { wakeWaiting } from './wake-waiting.ts'
