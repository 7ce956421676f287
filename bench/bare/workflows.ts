/** The bare alternatives, as one would write them with Temporal's SDK. */
import { proxyActivities, proxyLocalActivities, sleep } from '@temporalio/workflow'
import type { BareActivities } from './worker.ts'

export { bareSequence } from '../../test/workflows/bare/workflow.ts'

const { send } = proxyActivities<BareActivities>({ startToCloseTimeout: '1 minute' })
const { noteEnd } = proxyLocalActivities<BareActivities>({ startToCloseTimeout: '1 minute' })

/** One email, in one activity. */
export const bareEmail = (to: string): Promise<void> => send(to)

/** Sleeps until an instant, and records when it woke up. */
export async function bareTimer(id: string, wakeAt: number): Promise<void> {
  await sleep(wakeAt - Date.now())
  await noteEnd(id)
}
