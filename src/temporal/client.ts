import { within as answerWithin } from '../platform/bulkhead.ts'
import { ApiError, TEMPORAL_UNAVAILABLE } from '../platform/api-error.ts'
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client'
import type { SearchAttributePair } from '@temporalio/common'
import {
  retryRequestedSignal,
  type Arrival,
  clockSignal,
  type DueStep,
  wakeSignal,
  campaignChangedSignal,
  type CampaignWorkflow,
  campaignWorkflowId,
  ENGINE_VERSION,
  type EnrollmentInput,
  type EnrollmentWorkflow,
  enrollmentWorkflowId,
  type EndStatus,
  enterSignal,
  leaveSignal,
  moveSignal,
  skipSignal,
  type ContactInAutomation,
  type Place,
  placeOf,
  plainMarkdown,
  type RetryWorkflow,
  retryWorkflowId,
} from '../automation-engine/index.ts'
import { SEARCH_ATTRIBUTES } from './search-attribute-keys.ts'

/** The maximum time of one call, in milliseconds, so that an API client gets a response within five seconds. */
const CALL_TIMEOUT_MS = 3_000

/** The SDK checks its deadline only between two attempts, and can be late by more than a second. After this time, the call fails. */
const DEADLINE_DELAY_MS = 500

export interface EnrollmentStart {
  input: Omit<EnrollmentInput, 'engine' | 'instanceId' | 'clockAhead'> & { clockAhead: number }
  automationName: string
  /** The request that started it, for operators: it is in the workflow's memo. */
  requestId: string | null
}

/** The statuses of an ended workflow. A workflow that is paused, or in a status of a newer Temporal, has not ended. */
const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT'])

/** The enrollment of a running workflow, according to its memo. */
export interface RunningEnrollment {
  enrollmentId: string
  dedupKey: string | null
  triggerEventId: string | null
  enrolledAt: string
}

/**
 * The state of an enrollment's workflow in Temporal: `PAUSED` if it runs and reports that its automation is paused, `ANOTHER` if
 * another enrollment's workflow runs in its place, and `null` if Temporal does not (or no longer) know it.
 */
type WorkflowState = 'RUNNING' | 'PAUSED' | 'CLOSED' | 'ANOTHER' | null

/**
 * The state of a campaign's last workflow: `CANCELLED` and `TERMINATED` by an operator, `CLOSED` if it ended otherwise, `null` if
 * Temporal does not (or no longer) know it.
 */
type CampaignWorkflowState = 'RUNNING' | 'CANCELLED' | 'TERMINATED' | 'CLOSED' | null

/** The last workflow of a contact in an automation: its enrollment, whether it runs, and when it ended. */
interface LastWorkflow {
  enrollmentId: string | undefined
  isRunning: boolean
  endedAt: Date | undefined
}

/** A running enrollment in a list. */
export interface ListedEnrollment extends RunningEnrollment, Place {
  isHeld: boolean
}

/** The operations of Temporal that Dripline needs, in the terms of the product. */
export interface Enrollments {
  /** Starts an enrollment. @returns false if the contact is already in the automation */
  start(start: EnrollmentStart): Promise<boolean>
  /**
   * Starts an enrollment, or signals the running one that there is another reason to enter: the running one records it as
   * processed, or starts over with it if it turns out to have nothing to do. @param databaseHas the enrollment that runs
   * according to the database: a different one checks whether it has ended
   */
  enter(start: EnrollmentStart, databaseHas?: string | null): Promise<void>
  /** Returns the running enrollment, if any. This is cheaper than a start that is rejected. */
  findRunning(place: Place): Promise<RunningEnrollment | undefined>
  /** Returns the state of an enrollment's workflow. */
  state(place: Place, enrollmentId: string): Promise<WorkflowState>
  /** Returns the last workflow that Temporal has of a contact in an automation, whichever enrollment it is for. */
  lastWorkflow(place: Place): Promise<LastWorkflow | undefined>
  /**
   * Lists the running enrollments, of one contact in one automation or all, as Temporal's visibility has them: changes of the last
   * seconds may be missing.
   */
  listRunning(of?: ContactInAutomation): AsyncIterable<ListedEnrollment>
  /** Wakes an enrollment, which checks again what to do. An ended enrollment is not changed. */
  wake(place: Place): Promise<void>
  /** Cancels the enrollment of a contact in an automation, whichever it is. An ended enrollment is not changed. */
  cancel(place: Place): Promise<void>
  /** Ends an enrollment, and no other one of its contact in its automation. An ended enrollment is not changed. */
  end(place: Place, enrollmentId: string): Promise<void>
  /** Ends an enrollment that a rule has ended in the database, and no other one. */
  leave(place: Place, enrollmentId: string, status: EndStatus): Promise<void>
  /** Ends the wait of an enrollment before a step early. An ended enrollment is not changed. */
  skip(place: Place, due: DueStep): Promise<void>
  /** Tells an enrollment by how many milliseconds the clock of its test workspace is ahead. */
  moveClock(place: Place, clockAhead: number): Promise<void>
  /** Reports to an enrollment that it can move to a newer version. An ended enrollment is not changed. */
  move(place: Place, enrollmentId: string, version: number): Promise<void>
  /** Retries a message. A running retry checks the message again. */
  retry(workspaceId: string, messageId: string): Promise<void>
  /** Returns the state of a campaign's last workflow. */
  campaignState(campaignId: string): Promise<CampaignWorkflowState>
  /** Signals a campaign's workflow to check what to do next, and starts it if there is none. */
  campaign(workspaceId: string, campaignId: string): Promise<void>
  /** Resolves when no call is running, not even an abandoned one, so that the connection can be closed. */
  idle(): Promise<void>
}

const tooLate = () =>
  new ApiError(TEMPORAL_UNAVAILABLE, { message: 'Temporal did not respond in time. Please try again.' })

/**
 * @param instance returns the owner of the enrollments that it starts: other instances may use the same Temporal
 * @param callTimeoutMs the maximum time of one call; only tests with a slow server change it
 */
export function createEnrollments(
  client: Client,
  taskQueue: string,
  instance: () => Promise<string>,
  callTimeoutMs = CALL_TIMEOUT_MS,
): Enrollments {
  const underWay = new Set<Promise<unknown>>()
  const within = <Result>(call: () => Promise<Result>): Promise<Result> => {
    const answer = client.withDeadline(Date.now() + callTimeoutMs, call)
    underWay.add(answer)
    const forget = () => void underWay.delete(answer)
    answer.then(forget, forget)
    return answerWithin(callTimeoutMs + DEADLINE_DELAY_MS, answer, tooLate)
  }

  const optionsOf = async ({ input, automationName, requestId }: EnrollmentStart) => ({
    taskQueue,
    workflowId: enrollmentWorkflowId(placeOf(input)),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    staticSummary: plainMarkdown(automationName),
    memo: { ...memoOf(input), ...(requestId === null ? {} : { requestId }) },
    args: [{ ...withoutZero(input), engine: ENGINE_VERSION, instanceId: await instance() }] as [EnrollmentInput],
    // Under load, workspaces take turns.
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
  const handleOf = (place: Place) => client.workflow.getHandle(enrollmentWorkflowId(place))
  const describe = async (place: Place) => {
    try {
      return await within(() => handleOf(place).describe())
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
    async findRunning(place) {
      const found = await describe(place)
      if (!found || ENDED.has(found.status.name)) return undefined
      return found.memo as unknown as RunningEnrollment
    },
    async state(place, enrollmentId) {
      const found = await describe(place)
      if (!found) return null
      const isRunning = !ENDED.has(found.status.name)
      if (found.memo?.['enrollmentId'] === enrollmentId) {
        if (!isRunning) return 'CLOSED'
        return found.typedSearchAttributes.get(SEARCH_ATTRIBUTES.status) === 'PAUSED' ? 'PAUSED' : 'RUNNING'
      }
      // An ended workflow of an earlier or a later enrollment does not concern this one.
      return isRunning ? 'ANOTHER' : null
    },
    async lastWorkflow(place) {
      const found = await describe(place)
      if (!found) return undefined
      const enrollmentId = found.memo?.['enrollmentId'] as string | undefined
      return { enrollmentId, isRunning: !ENDED.has(found.status.name), endedAt: found.closeTime }
    },
    async *listRunning(of) {
      const { automation, contact } = SEARCH_ATTRIBUTES
      // Both are UUIDs, so they need no quoting.
      const ofContact = of
        ? ` and ${automation.name} = '${of.automationId}' and ${contact.name} = '${of.contactId}'`
        : ''
      const query = `WorkflowType = 'enrollment' and ExecutionStatus = 'Running'${ofContact}`
      for await (const { memo, workflowId, typedSearchAttributes } of client.workflow.list({
        query,
        pageSize: 1_000,
      })) {
        const [, automationId, contactId, concurrencyKey = ''] = workflowId.split(':')
        const running = memo as unknown as RunningEnrollment | undefined
        if (automationId === undefined || contactId === undefined || running?.enrollmentId === undefined) continue
        const isHeld = typedSearchAttributes.get(SEARCH_ATTRIBUTES.status) === 'PAUSED'
        yield { ...running, automationId, contactId, concurrencyKey, isHeld }
      }
    },
    wake: (place) => ifRunning(() => handleOf(place).signal(wakeSignal)),
    cancel: (place) => ifRunning(() => handleOf(place).cancel()),
    async end(place, enrollmentId) {
      // Between the two calls it can continue in a new run, which needs the signal again; or another enrollment can start.
      for (;;) {
        const found = await describe(place)
        if (!found || ENDED.has(found.status.name) || found.memo?.['enrollmentId'] !== enrollmentId) return
        try {
          const run = client.workflow.getHandle(found.workflowId, found.runId)
          return void (await within(() => run.cancel()))
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error
        }
      }
    },
    leave: (place, enrollmentId, status) =>
      ifRunning(() => handleOf(place).signal(leaveSignal, { enrollmentId, status })),
    skip: (place, due) => ifRunning(() => handleOf(place).signal(skipSignal, due)),
    moveClock: (place, clockAhead) => ifRunning(() => handleOf(place).signal(clockSignal, { clockAhead })),
    move: (place, enrollmentId, version) =>
      ifRunning(() => handleOf(place).signal(moveSignal, { enrollmentId, version })),
    async retry(workspaceId, messageId) {
      const input = { workspaceId, messageId, instanceId: await instance() }
      await within(() =>
        client.workflow.signalWithStart<RetryWorkflow, []>('retry', {
          signal: retryRequestedSignal,
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

/** Workflows of live workspaces have nothing to do with the test clock. */
const withoutZero = ({
  clockAhead,
  ...input
}: EnrollmentStart['input']): Omit<EnrollmentInput, 'engine' | 'instanceId'> =>
  clockAhead === 0 ? input : { ...input, clockAhead }

/** The memo of an enrollment's workflow. */
const memoOf = ({ enrollmentId, dedupKey, triggerEventId, enrolledAt }: RunningEnrollment): RunningEnrollment => ({
  enrollmentId,
  dedupKey,
  triggerEventId,
  enrolledAt,
})
