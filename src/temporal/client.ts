import { within as answerWithin } from '../platform/bulkhead.ts'
import { ApiError, TEMPORAL_UNAVAILABLE } from '../platform/api-error.ts'
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client'
import type { SearchAttributePair } from '@temporalio/common'
import {
  askedSignal,
  type Arrival,
  automationChangedSignal,
  campaignChangedSignal,
  type CampaignWorkflow,
  campaignWorkflowId,
  ENGINE,
  type EnrollmentInput,
  type EnrollmentWorkflow,
  enrollmentWorkflowId,
  enterSignal,
  plainMarkdown,
  type RetryWorkflow,
  retryWorkflowId,
} from '../automation-engine/index.ts'
import { SEARCH_ATTRIBUTES } from './search-attribute-keys.ts'

/** How long one call may take, in milliseconds: a caller of the API is answered within five seconds. */
const CALL_TIMEOUT_MS = 3_000

/** The SDK looks at its deadline only between two tries, and can be late by more than a second: this is the end. */
const CALL_LIMIT_MS = 3_500

export interface EnrollmentStart {
  input: Omit<EnrollmentInput, 'engine' | 'instanceId'>
  automationName: string
  /** The request that started it, for operators: it stands in the workflow's memo. */
  requestId: string | null
}

/** How a workflow can have ended. One that is paused there, or in a state of a newer Temporal, has not. */
const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT'])

/** The enrollment that a running workflow is for, as its starter wrote it into the memo. */
export interface RunningEnrollment {
  enrollmentId: string
  dedupKey: string | null
  triggerEventId: string | null
  enrolledAt: string
}

/**
 * What Temporal has of an enrollment: `PAUSED` where it runs and has published that its automation holds it, `ANOTHER` where
 * another one's workflow runs in its place, and `null` where it does not know it (any more).
 */
export type WorkflowState = 'RUNNING' | 'PAUSED' | 'CLOSED' | 'ANOTHER' | null

/**
 * What Temporal has of a campaign's last workflow: `CANCELLED` and `TERMINATED` by an operator, `CLOSED` if it ended otherwise,
 * `null` if Temporal does not know it (any more).
 */
export type CampaignWorkflowState = 'RUNNING' | 'CANCELLED' | 'TERMINATED' | 'CLOSED' | null

/** The last workflow of a contact in an automation: whose it is, whether it runs, and when it ended. */
export interface LastWorkflow {
  enrollmentId: string | undefined
  isRunning: boolean
  endedAt: Date | undefined
}

/** An enrollment that runs, as a list has it. */
export interface ListedEnrollment extends RunningEnrollment {
  automationId: string
  contactId: string
  isHeld: boolean
}

/** What Dripline asks of Temporal, in the product's words. */
export interface Enrollments {
  /** Starts an enrollment. @returns false when the contact is in the automation already. */
  start(start: EnrollmentStart): Promise<boolean>
  /**
   * Starts an enrollment, or tells the one that runs that there is one more reason to enter: it is received there, or begins
   * anew by it when it turns out that the running one has nothing to do.
   * @param databaseHas the enrollment that runs by the ledger: one that is not this one asks whether it is over.
   */
  enter(start: EnrollmentStart, databaseHas?: string | null): Promise<void>
  /** The enrollment that runs, if one does. Asking is cheaper than a start that is refused. */
  findRunning(automationId: string, contactId: string): Promise<RunningEnrollment | undefined>
  /** Whether an enrollment has a workflow. */
  state(automationId: string, contactId: string, enrollmentId: string): Promise<WorkflowState>
  /** The last workflow that Temporal has of a contact in an automation, whichever enrollment it is for. */
  lastWorkflow(automationId: string, contactId: string): Promise<LastWorkflow | undefined>
  /** All enrollments that run, as Temporal lists them: what has begun or ended in the last seconds may be listed wrongly. */
  listRunning(): AsyncIterable<ListedEnrollment>
  /** Makes an enrollment look at its automation again. One that has ended is left as it is. */
  automationChanged(automationId: string, contactId: string): Promise<void>
  /** Ends whatever enrollment a contact has in an automation. One that has ended is left as it is. */
  cancel(automationId: string, contactId: string): Promise<void>
  /** Ends an enrollment, and no other one of its contact in its automation. One that has ended is left as it is. */
  end(automationId: string, contactId: string, enrollmentId: string): Promise<void>
  /** Has a message tried again. One that is being tried again already looks once more. */
  retry(workspaceId: string, messageId: string): Promise<void>
  /** What Temporal has of a campaign's last workflow. */
  campaignState(campaignId: string): Promise<CampaignWorkflowState>
  /** Has a campaign's workflow look what is next; it is started where there is none. */
  campaign(workspaceId: string, campaignId: string): Promise<void>
  /** Settles when no call is under way, also none that nobody waits for any more: then the connection can be closed. */
  idle(): Promise<void>
}

const tooLate = () =>
  new ApiError(TEMPORAL_UNAVAILABLE, { message: 'Temporal did not answer in time; please try again' })

/** @param instance tells whose the enrollments are that it starts: others may run on the same Temporal. */
export function createEnrollments(client: Client, taskQueue: string, instance: () => Promise<string>): Enrollments {
  const underWay = new Set<Promise<unknown>>()
  const within = <Result>(call: () => Promise<Result>): Promise<Result> => {
    const answer = client.withDeadline(Date.now() + CALL_TIMEOUT_MS, call)
    underWay.add(answer)
    const forget = () => void underWay.delete(answer)
    answer.then(forget, forget)
    return answerWithin(CALL_LIMIT_MS, answer, tooLate)
  }

  const optionsOf = async ({ input, automationName, requestId }: EnrollmentStart) => ({
    taskQueue,
    workflowId: enrollmentWorkflowId(input.automationId, input.contactId),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    staticSummary: plainMarkdown(automationName),
    memo: { ...memoOf(input), ...(requestId === null ? {} : { requestId }) },
    args: [{ ...input, engine: ENGINE, instanceId: await instance() }] as [EnrollmentInput],
    // Where many wait for a worker, workspaces take turns.
    priority: { fairnessKey: input.workspaceId },
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.workspace, value: input.workspaceId },
      { key: SEARCH_ATTRIBUTES.automation, value: input.automationId },
      { key: SEARCH_ATTRIBUTES.contact, value: input.contactId },
      { key: SEARCH_ATTRIBUTES.status, value: 'ACTIVE' },
    ] as SearchAttributePair[],
  })

  const ifRunning = async (call: () => Promise<unknown>): Promise<void> => {
    try {
      await within(call)
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error
    }
  }
  const handleOf = (automationId: string, contactId: string) =>
    client.workflow.getHandle(enrollmentWorkflowId(automationId, contactId))
  const describe = async (automationId: string, contactId: string) => {
    try {
      return await within(() => handleOf(automationId, contactId).describe())
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined
      throw error
    }
  }

  return {
    async start(start) {
      const options = await optionsOf(start)
      try {
        await within(() =>
          client.workflow.start<EnrollmentWorkflow>('enrollment', {
            ...options,
            workflowIdConflictPolicy: 'FAIL',
          }),
        )
        return true
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return false
        throw error
      }
    },
    async enter(start, databaseHas) {
      const { enrollmentId, dedupKey, triggerEventId, resumeAfter } = start.input
      const entry = { enrollmentId, dedupKey, triggerEventId, ...(resumeAfter && { resumeAfter }) }
      const options = await optionsOf(start)
      await within(() =>
        client.workflow.signalWithStart<EnrollmentWorkflow, [Arrival]>('enrollment', {
          ...options,
          signal: enterSignal,
          signalArgs: [{ ...entry, ...(databaseHas !== undefined && { databaseHas }) }],
        }),
      )
    },
    async findRunning(automationId, contactId) {
      const found = await describe(automationId, contactId)
      if (!found || ENDED.has(found.status.name)) return undefined
      return found.memo as unknown as RunningEnrollment
    },
    async state(automationId, contactId, enrollmentId) {
      const found = await describe(automationId, contactId)
      if (!found) return null
      const isRunning = !ENDED.has(found.status.name)
      if (found.memo?.['enrollmentId'] === enrollmentId) {
        if (!isRunning) return 'CLOSED'
        return found.typedSearchAttributes.get(SEARCH_ATTRIBUTES.status) === 'PAUSED' ? 'PAUSED' : 'RUNNING'
      }
      // The workflow of an earlier or a later enrollment that has ended says nothing of this one.
      return isRunning ? 'ANOTHER' : null
    },
    async lastWorkflow(automationId, contactId) {
      const found = await describe(automationId, contactId)
      if (!found) return undefined
      const enrollmentId = found.memo?.['enrollmentId'] as string | undefined
      return { enrollmentId, isRunning: !ENDED.has(found.status.name), endedAt: found.closeTime }
    },
    async *listRunning() {
      const query = `WorkflowType = 'enrollment' and ExecutionStatus = 'Running'`
      for await (const { memo, workflowId, typedSearchAttributes } of client.workflow.list({
        query,
        pageSize: 1_000,
      })) {
        const [, automationId, contactId] = workflowId.split(':')
        const running = memo as unknown as RunningEnrollment | undefined
        if (automationId === undefined || contactId === undefined || running?.enrollmentId === undefined) continue
        const isHeld = typedSearchAttributes.get(SEARCH_ATTRIBUTES.status) === 'PAUSED'
        yield { ...running, automationId, contactId, isHeld }
      }
    },
    automationChanged: (automationId, contactId) =>
      ifRunning(() => handleOf(automationId, contactId).signal(automationChangedSignal)),
    cancel: (automationId, contactId) => ifRunning(() => handleOf(automationId, contactId).cancel()),
    async end(automationId, contactId, enrollmentId) {
      // Between the two it can go on in a new run, which is another one to be told; or another enrollment's begins.
      for (;;) {
        const found = await describe(automationId, contactId)
        if (!found || ENDED.has(found.status.name) || found.memo?.['enrollmentId'] !== enrollmentId) return
        try {
          const run = client.workflow.getHandle(found.workflowId, found.runId)
          return void (await within(() => run.cancel()))
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error
        }
      }
    },
    async retry(workspaceId, messageId) {
      const input = { workspaceId, messageId, instanceId: await instance() }
      await within(() =>
        client.workflow.signalWithStart<RetryWorkflow, []>('retry', {
          signal: askedSignal,
          taskQueue,
          workflowId: retryWorkflowId(messageId),
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          args: [input],
          priority: { fairnessKey: workspaceId },
          typedSearchAttributes: [{ key: SEARCH_ATTRIBUTES.workspace, value: workspaceId }],
        }),
      )
    },
    async campaignState(campaignId) {
      try {
        const { status } = await within(() => client.workflow.getHandle(campaignWorkflowId(campaignId)).describe())
        if (status.name === 'CANCELLED' || status.name === 'TERMINATED') return status.name
        return ENDED.has(status.name) ? 'CLOSED' : 'RUNNING'
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return null
        throw error
      }
    },
    async campaign(workspaceId, campaignId) {
      const input = { workspaceId, campaignId, instanceId: await instance() }
      await within(() =>
        client.workflow.signalWithStart<CampaignWorkflow, []>('campaign', {
          signal: campaignChangedSignal,
          taskQueue,
          workflowId: campaignWorkflowId(campaignId),
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          args: [input],
          priority: { fairnessKey: workspaceId },
          typedSearchAttributes: [{ key: SEARCH_ATTRIBUTES.workspace, value: workspaceId }],
        }),
      )
    },
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}

/** What a workflow's memo says of its enrollment. */
const memoOf = ({ enrollmentId, dedupKey, triggerEventId, enrolledAt }: RunningEnrollment): RunningEnrollment => ({
  enrollmentId,
  dedupKey,
  triggerEventId,
  enrolledAt,
})
