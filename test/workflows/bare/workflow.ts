import { proxyActivities, sleep } from '@temporalio/workflow'

export interface BareStep {
  id: string
  /** Minutes to wait; the step is an email if it is missing. */
  delayMinutes?: number
  /** Whether an activity decides it. Both branches continue with the next step. */
  isCondition?: boolean
}

interface Activities {
  send(enrollmentId: string, stepId: string): Promise<void>
  decide(enrollmentId: string, stepId: string): Promise<boolean>
}
const { send, decide } = proxyActivities<Activities>({ startToCloseTimeout: '1 minute' })

/** The workflow as one would write it by hand: the product is compared with it. */
export async function bareSequence(enrollmentId: string, steps: BareStep[]): Promise<void> {
  for (const { id, delayMinutes, isCondition } of steps) {
    if (isCondition) await decide(enrollmentId, id)
    else if (delayMinutes === undefined) await send(enrollmentId, id)
    else await sleep(delayMinutes * 60_000)
  }
}
