/** The bare alternatives, as one would write them with Temporal's SDK. */
import { condition, defineSignal, proxyActivities, proxyLocalActivities, setHandler, sleep } from '@temporalio/workflow'
import type { BareActivities } from './worker.ts'

export { bareSequence } from '../../test/workflows/bare/workflow.ts'

const { send, isPro } = proxyActivities<BareActivities>({ startToCloseTimeout: '1 minute' })
const local = proxyLocalActivities<BareActivities>({ startToCloseTimeout: '1 minute' })

/** One email, in one activity. */
export const bareEmail = (to: string): Promise<void> => send(to)

/** Sleeps until an instant, and records when it woke up. */
export async function bareTimer(id: string, wakeAt: number): Promise<void> {
  await sleep(wakeAt - Date.now())
  await local.noteEnd(id)
}

/** Decides conditions one after the other, each in an activity. */
export async function bareConditions(contactId: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await isPro(contactId)
}

/** The same in local activities. */
export async function bareLocalConditions(contactId: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await local.isPro(contactId)
}

/** Waits a year, or until a signal. */
export async function bareWait(): Promise<void> {
  let hasEnded = false
  setHandler(defineSignal('end'), () => void (hasEnded = true))
  await condition(() => hasEnded, '365 days')
}
