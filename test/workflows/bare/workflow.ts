import { proxyActivities, sleep } from '@temporalio/workflow'

export interface BareStep {
  id: string
  /** Minutes to wait; the step is an email if it is missing. */
  delayMinutes?: number
}

const { send } = proxyActivities<{ send(enrollmentId: string, stepId: string): Promise<void> }>({
  startToCloseTimeout: '1 minute',
})

/** The workflow as one would write it by hand: the product is compared with it. */
export async function bareSequence(enrollmentId: string, steps: BareStep[]): Promise<void> {
  for (const { id, delayMinutes } of steps) {
    if (delayMinutes === undefined) await send(enrollmentId, id)
    else await sleep(delayMinutes * 60_000)
  }
}
