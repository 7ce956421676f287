import { isCancellation, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow'
import type { CampaignInput, CampaignStep, StepResult, StepType } from '../src/automation-engine/index.ts'
import type {
  Activities,
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
} from '../activities/index.ts'
import { sendingQueue } from '../src/temporal/task-queues.ts'

type Bookkeeping = Pick<
  Activities,
  'beginEnrollment' | 'bringForward' | 'finishEnrollment' | 'moveEnrollment' | 'recordProcessedEvents' | 'runStep'
>

/** Time without a heartbeat after which Temporal assumes that a worker is dead and gives the email to another. */
const HEARTBEAT_TIMEOUT = '15 seconds'

/**
 * Bookkeeping and emails run in local activities, which cost one event each. They have seconds and a single attempt: a local
 * activity occupies a slot of its worker, and repeating it makes the history grow.
 */
const local = proxyLocalActivities<Bookkeeping>({
  scheduleToCloseTimeout: '5 seconds',
  retry: { maximumAttempts: 1 },
})
/**
 * A transmission is not cut off because it is long: this is the longest time that a server may take to respond (RFC 5321,
 * 4.5.3.2.6).
 */
const localEmail = proxyLocalActivities<Pick<Activities, 'sendEmailAtOnce'>>({
  startToCloseTimeout: '12 minutes',
  retry: { maximumAttempts: 1 },
})

/** Longer work runs as a normal activity, with unlimited retries and its own slots. */
const normal = proxyActivities<Bookkeeping>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
})

/**
 * Sending is retried without limit: an SMTP server that is down for days makes contacts wait, but ends no enrollment. Workspaces
 * that wait for the same server take turns.
 */
const queuedEmail = (workspaceId: string) =>
  proxyActivities<Pick<Activities, 'sendEmail' | 'retryMessage' | 'advanceCampaign'>>({
    taskQueue: sendingQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '1 hour',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
    priority: { fairnessKey: workspaceId },
  })

export const beginEnrollment = (input: BeginEnrollmentInput) =>
  orElse(
    () => local.beginEnrollment(input),
    () => normal.beginEnrollment(input),
  )

export const bringForward = (input: BringForwardInput) =>
  orElse(
    () => local.bringForward(input),
    () => normal.bringForward(input),
  )

export const finishEnrollment = (input: FinishEnrollmentInput) =>
  orElse(
    () => local.finishEnrollment(input),
    () => normal.finishEnrollment(input),
  )

export const moveEnrollment = (input: MoveEnrollmentInput) =>
  orElse(
    () => local.moveEnrollment(input),
    () => normal.moveEnrollment(input),
  )

export const recordProcessedEvents = (input: RecordProcessedEventsInput) =>
  orElse(
    () => local.recordProcessedEvents(input),
    () => normal.recordProcessedEvents(input),
  )

/** Runs a step that is not an email. A webhook waits for another server, which a local activity must not. */
export const runStep = (type: StepType, input: RunStepInput): Promise<StepResult> =>
  type === 'WEBHOOK'
    ? normal.runStep({ ...input, type })
    : orElse(
        () => local.runStep(input),
        () => normal.runStep(input),
      )

/** Sends a step's email: at once if a connection is free within a moment, or else through the sending queue. */
export async function sendEmail(input: SendEmailInput): Promise<SendEmailResult> {
  const result = await orElse(
    () => localEmail.sendEmailAtOnce(input),
    () => ({ next: 'queue' as const }),
  )
  return result.next === 'queue' ? queuedEmail(input.workspaceId).sendEmail(input) : result
}

/** Retries a message as requested. */
export const retryMessage = (input: RetryInput): Promise<RetryResult> =>
  queuedEmail(input.workspaceId).retryMessage(input)

/** Advances a campaign for a few seconds. Other campaigns take their turns in between. */
export const advanceCampaign = (input: CampaignInput): Promise<CampaignStep> =>
  queuedEmail(input.workspaceId).advanceCampaign(input)

async function orElse<Result>(run: () => Promise<Result>, otherwise: () => Promise<Result> | Result): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (isCancellation(error)) throw error
    return otherwise()
  }
}
