import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker'
import type { ConnectedConfig } from '../../src/runtime/context.ts'

export interface BareActivities {
  send(to: string): Promise<void>
  noteEnd(id: string): Promise<void>
  isPro(contactId: string): Promise<boolean>
}

/**
 * Starts a worker for the bare workflows with the SDK's defaults, except that it caches as many workflows as the product: that is
 * a setting, and not compared.
 * @returns a function that stops it
 */
export async function startBareWorker(
  { TEMPORAL_ADDRESS: address, WORKFLOW_CACHE_SIZE: maxCachedWorkflows }: ConnectedConfig,
  taskQueue: string,
  activities: Partial<BareActivities>,
): Promise<() => Promise<void>> {
  const connection = await NativeConnection.connect({ address })
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
      logger: new DefaultLogger('WARN'),
    }),
    activities,
    maxCachedWorkflows,
  })
  const ended = worker.run()
  return async () => {
    worker.shutdown()
    await ended
    await connection.close()
  }
}
