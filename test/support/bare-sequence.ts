import { fileURLToPath } from 'node:url'
import type { TestWorkflowEnvironment } from '@temporalio/testing'
import { newId } from '../../src/platform/ids.ts'
import type { BareStep } from '../workflows/bare/workflow.ts'
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker'

/** A step. A number is minutes to wait. */
export type BarePart = 'EMAIL' | 'CONDITION' | number

let bundle: ReturnType<typeof bundleWorkflowCode> | undefined

/** Returns the history of a hand-written sequence, run with time skipped. */
export async function bareHistory(env: TestWorkflowEnvironment, plan: readonly BarePart[]) {
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: 'bare',
    workflowBundle: await (bundle ??= bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('../workflows/bare/workflow.ts', import.meta.url)),
      logger: new DefaultLogger('WARN'),
    })),
    activities: { send: () => Promise.resolve(), decide: () => Promise.resolve(true) },
  })
  return worker.runUntil(async () => {
    const handle = await env.client.workflow.start('bareSequence', {
      taskQueue: 'bare',
      workflowId: `bare-${Math.random()}`,
      args: [newId(), plan.map(toStep)],
    })
    await handle.result()
    return handle.fetchHistory()
  })
}

function toStep(part: BarePart): BareStep {
  if (part === 'EMAIL') return { id: newId() }
  return part === 'CONDITION' ? { id: newId(), isCondition: true } : { id: newId(), delayMinutes: part }
}
