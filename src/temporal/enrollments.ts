import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client'
import type { SearchAttributePair } from '@temporalio/common'
import type { enrollment } from '../../workflows/enrollment.ts'
import {
  automationChangedSignal,
  triggerEventSignal,
  type EnrollmentInput,
  type TriggerEventSignal,
} from '../../workflows/messages.ts'
import { enrollmentWorkflowId } from '../domain/enrollment.ts'
import { unavailable } from '../domain/errors.ts'
import { SEARCH_ATTRIBUTES } from '../domain/search-attributes.ts'

/** How long one call may take, in milliseconds: a caller of the API is answered within five seconds. */
const CALL_TIMEOUT_MS = 3_000

/** The SDK looks at its deadline only between two tries, and can be late by more than a second: this is the end. */
const CALL_LIMIT_MS = 3_500

export interface EnrollmentStart {
  input: EnrollmentInput
  automationName: string
  /** The request that started it, for operators: it stands in the workflow's memo. */
  requestId: string | null
}

/** What Dripline asks of Temporal, in the product's words. */
export interface Enrollments {
  /** Starts an enrollment. @returns false when the contact is in the automation already. */
  start(start: EnrollmentStart): Promise<boolean>
  /** Tells the contact's enrollment of an event, and starts one if there is none. */
  trigger(start: EnrollmentStart, event: TriggerEventSignal): Promise<void>
  /** The id of the enrollment that runs, if one does. Asking is cheaper than a start that is refused. */
  findRunning(automationId: string, contactId: string): Promise<string | undefined>
  /** Makes an enrollment look at its automation again. One that has ended is left alone. */
  automationChanged(automationId: string, contactId: string): Promise<void>
  /** Ends an enrollment. One that has ended is left alone. */
  cancel(automationId: string, contactId: string): Promise<void>
  /** Settles when no call is under way, also none that nobody waits for any more: then the connection can be closed. */
  idle(): Promise<void>
}

export function createEnrollments(client: Client, taskQueue: string): Enrollments {
  const underWay = new Set<Promise<unknown>>()
  const within = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    const answer = client.withDeadline(Date.now() + CALL_TIMEOUT_MS, call)
    underWay.add(answer)
    const forget = () => void underWay.delete(answer)
    answer.then(forget, forget)
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(unavailable('Temporal did not answer in time; please try again')), CALL_LIMIT_MS)
    })
    try {
      return await Promise.race([answer, limit])
    } finally {
      clearTimeout(timer)
    }
  }

  const options = ({ input, automationName, requestId }: EnrollmentStart) => ({
    taskQueue,
    workflowId: enrollmentWorkflowId(input.automationId, input.contactId),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    staticSummary: automationName,
    memo: { enrollmentId: input.enrollmentId, ...(requestId === null ? {} : { requestId }) },
    args: [input] as [EnrollmentInput],
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

  return {
    async start(start) {
      try {
        await within(() =>
          client.workflow.start<typeof enrollment>('enrollment', {
            ...options(start),
            workflowIdConflictPolicy: 'FAIL',
          }),
        )
        return true
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return false
        throw error
      }
    },
    async trigger(start, event) {
      await within(() =>
        client.workflow.signalWithStart<typeof enrollment, [TriggerEventSignal]>('enrollment', {
          ...options(start),
          signal: triggerEventSignal,
          signalArgs: [event],
        }),
      )
    },
    async findRunning(automationId, contactId) {
      try {
        const { status, memo } = await within(() => handleOf(automationId, contactId).describe())
        return status.name === 'RUNNING' ? String(memo?.['enrollmentId']) : undefined
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return undefined
        throw error
      }
    },
    automationChanged: (automationId, contactId) =>
      ifRunning(() => handleOf(automationId, contactId).signal(automationChangedSignal)),
    cancel: (automationId, contactId) => ifRunning(() => handleOf(automationId, contactId).cancel()),
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}
