import { ApplicationFailure } from '@temporalio/activity'
import { beginEnrollment, type BeginEnrollmentInput, type BegunEnrollment } from './begin-enrollment.ts'
import { bringForward, type BringForwardInput } from './bring-forward.ts'
import { finishEnrollment, type FinishEnrollmentInput } from './finish-enrollment.ts'
import { moveEnrollment, type MoveEnrollmentInput } from './move-enrollment.ts'
import type { MoveResult } from '../src/publishing/index.ts'
import { retryMessage } from './retry-message.ts'
import { advanceCampaign } from './advance-campaign.ts'
import type {
  CampaignInput,
  CampaignStep,
  EnrollmentStatus,
  RetryInput,
  RetryResult,
  StepResult,
} from '../src/automation-engine/index.ts'
import { recordProcessedEvents, type RecordProcessedEventsInput } from './record-processed-events.ts'
import { runStep, type RunStepInput } from './run-step.ts'
import { sendEmail, sendEmailAtOnce, type SendEmailInput, type SendEmailResult } from './send-email.ts'
import { ConcurrencyLimit } from '../src/platform/concurrency-limit.ts'
import { createQuota } from '../src/platform/quota.ts'
import { createBulkheads } from './bulkheads.ts'
import { withPlainFailures } from './failures.ts'
import { checkInstance } from './check-instance.ts'
import type { ActivityDependencies } from './dependencies.ts'

/** The activities that workflows can call. They get IDs and return little, because all of it is written to histories. */
export interface Activities {
  beginEnrollment(input: BeginEnrollmentInput): Promise<BegunEnrollment | null>
  /** Sends only if a connection is free within a moment; `queue` otherwise. */
  sendEmailAtOnce(input: SendEmailInput): Promise<SendEmailResult | { next: 'queue' }>
  sendEmail(input: SendEmailInput): Promise<SendEmailResult>
  /** Runs a step that is not an email. */
  runStep(input: RunStepInput): Promise<StepResult>
  /** Records that a wait ends earlier. */
  bringForward(input: BringForwardInput): Promise<void>
  /** Moves an enrollment to a newer version. */
  moveEnrollment(input: MoveEnrollmentInput): Promise<MoveResult>
  retryMessage(input: RetryInput): Promise<RetryResult>
  /** Advances a campaign for a few seconds. */
  advanceCampaign(input: CampaignInput): Promise<CampaignStep>
  recordProcessedEvents(input: RecordProcessedEventsInput): Promise<void>
  finishEnrollment(input: FinishEnrollmentInput): Promise<EnrollmentStatus | undefined>
}

/** Emails of one workspace that a worker sends concurrently in local activities, so that others get some slots. */
const MAX_AT_ONCE_PER_WORKSPACE = 50

/**
 * Webhooks of one workspace that run and that wait in a worker. A server can take ten seconds, so one workspace must not use all
 * activity slots. Temporal retries the webhooks beyond these limits.
 */
const MAX_WEBHOOKS_PER_WORKSPACE = 10
const MAX_WAITING_WEBHOOKS = 10
/** With the ten seconds of a request, less than the time limit of the activity. */
const MAX_WEBHOOK_WAIT_MS = 5_000

/** Creates the activities. */
export const createActivities = (dependencies: ActivityDependencies): Activities => {
  const keptApart = createBulkheads()
  const slots = createQuota(MAX_AT_ONCE_PER_WORKSPACE)
  const inSlot = async <Result>(
    workspaceId: string,
    send: () => Promise<Result>,
  ): Promise<Result | { next: 'queue' }> => {
    if (slots.take(workspaceId, 1) === 0) return { next: 'queue' }
    try {
      return await send()
    } finally {
      slots.returnQuota(workspaceId, 1)
    }
  }
  const webhooks = new ConcurrencyLimit({
    maxRunning: MAX_WEBHOOKS_PER_WORKSPACE,
    maxWaiting: MAX_WAITING_WEBHOOKS,
    maxWaitMs: MAX_WEBHOOK_WAIT_MS,
    createError: () => ApplicationFailure.retryable('Too many webhooks of the workspace are being called', 'Busy'),
  })
  const activities: Activities = {
    beginEnrollment: (input) => keptApart(input.automationId, () => beginEnrollment(dependencies, input)),
    sendEmailAtOnce: (input) => inSlot(input.workspaceId, () => sendEmailAtOnce(dependencies, input)),
    sendEmail: (input) => sendEmail(dependencies, input),
    runStep: ({ type, ...input }) => {
      const run = () => runStep(dependencies, input)
      return type === 'WEBHOOK' ? webhooks.run(input.workspaceId, run) : keptApart(input.automationId, run)
    },
    bringForward: (input) => bringForward(dependencies, input),
    moveEnrollment: (input) => keptApart(input.automationId, () => moveEnrollment(dependencies, input)),
    retryMessage: (input) => retryMessage(dependencies, input),
    advanceCampaign: (input) => advanceCampaign(dependencies, input),
    recordProcessedEvents: (input) => keptApart(input.automationId, () => recordProcessedEvents(dependencies, input)),
    finishEnrollment: (input) => keptApart(input.automationId, () => finishEnrollment(dependencies, input)),
  }
  return withPlainFailures(checkInstance(activities, dependencies), dependencies)
}

export type {
  ActivityDependencies,
  BeginEnrollmentInput,
  BringForwardInput,
  FinishEnrollmentInput,
  MoveEnrollmentInput,
  RecordProcessedEventsInput,
  RetryInput,
  RetryResult,
  RunStepInput,
  SendEmailInput,
  SendEmailResult,
}
