import { eventually } from './eventually.ts'
import type { Service } from './service.ts'

const workflowId = (automationId: string, contactId: string) => `enrollment:${automationId}:${contactId}`

/** Waits until an email of an enrollment was deferred. @returns the seconds until its next attempt */
export const isDeferred = (service: Service, automationId: string, contactId: string): Promise<number> =>
  eventually('the email is deferred', async () => {
    const { workflow } = service.context.temporal
    const { raw } = await workflow.getHandle(workflowId(automationId, contactId)).describe()
    const { lastFailure, nextAttemptScheduleTime } = raw.pendingActivities?.[0] ?? {}
    if (lastFailure?.applicationFailureInfo?.type !== 'Deferred') return undefined
    return Number(nextAttemptScheduleTime?.seconds ?? 0) - Date.now() / 1_000
  })

/** Tries a deferred email again at once. Temporal owns the timer of the retry, so the test resets it. */
export const tryAgain = (service: Service, automationId: string, contactId: string): Promise<unknown> =>
  resetActivity(service, workflowId(automationId, contactId), 'sendEmail')

const resetActivity = ({ context }: Service, id: string, type: string) =>
  context.temporal.workflowService.resetActivity({
    namespace: context.temporal.options.namespace,
    execution: { workflowId: id },
    type,
  })
