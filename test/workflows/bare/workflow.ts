import { proxyActivities, sleep } from '@temporalio/workflow'

const { send } = proxyActivities<{ send(step: number): Promise<void> }>({ startToCloseTimeout: '1 minute' })

/** The sequence as one would write it by hand: what ours is measured against. Numbers are minutes to wait. */
export async function bareSequence(steps: ('EMAIL' | number)[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    if (step === 'EMAIL') await send(index)
    else await sleep(step * 60_000)
  }
}
