import { beginEnrollment, type BeginEnrollmentInput, type BegunEnrollment } from './begin-enrollment.ts'
import { finishEnrollment, type FinishEnrollmentInput } from './finish-enrollment.ts'
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
  retryMessage(input: RetryInput): Promise<RetryResult>
  /** Advances a campaign for a few seconds. */
  advanceCampaign(input: CampaignInput): Promise<CampaignStep>
  recordProcessedEvents(input: RecordProcessedEventsInput): Promise<void>
  finishEnrollment(input: FinishEnrollmentInput): Promise<EnrollmentStatus | undefined>
}

/** Emails of one workspace that a worker sends concurrently: half of its slots, so that other workspaces get some. */
const MAX_AT_ONCE_PER_WORKSPACE = 50

/** Creates the activities. */
export const createActivities = (dependencies: ActivityDependencies): Activities => {
  const keptApart = createBulkheads()
  const slots = createQuota(MAX_AT_ONCE_PER_WORKSPACE)
  const activities: Activities = {
    beginEnrollment: (input) => keptApart(input.automationId, () => beginEnrollment(dependencies, input)),
    sendEmailAtOnce: async (input) => {
      if (slots.take(input.workspaceId, 1) === 0) return { next: 'queue' }
      try {
        return await sendEmailAtOnce(dependencies, input)
      } finally {
        slots.returnQuota(input.workspaceId, 1)
      }
    },
    sendEmail: (input) => sendEmail(dependencies, input),
    runStep: (input) => keptApart(input.automationId, () => runStep(dependencies, input)),
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
  FinishEnrollmentInput,
  RecordProcessedEventsInput,
  RetryInput,
  RetryResult,
  RunStepInput,
  SendEmailInput,
  SendEmailResult,
}
