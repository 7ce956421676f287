import { fileURLToPath } from 'node:url'
import type { TestWorkflowEnvironment } from '@temporalio/testing'
import { newId } from '../../src/platform/ids.ts'
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker'

/** Returns the history of a sequence as one would write it by hand, run with time skipped. Numbers are minutes to wait. */
export async function bareHistory(env: TestWorkflowEnvironment, plan: readonly ('EMAIL' | number)[]) {
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: 'bare',
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('../workflows/bare/workflow.ts', import.meta.url)),
      logger: new DefaultLogger('WARN'),
    }),
    activities: { send: () => Promise.resolve() },
  })
  return worker.runUntil(async () => {
    const handle = await env.client.workflow.start('bareSequence', {
      taskQueue: 'bare',
      workflowId: `bare-${Math.random()}`,
      args: [newId(), plan.map((step) => (step === 'EMAIL' ? { id: newId() } : { id: newId(), delayMinutes: step }))],
    })
    await handle.result()
    return handle.fetchHistory()
  })
}
