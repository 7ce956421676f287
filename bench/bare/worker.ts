import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker'

export interface BareActivities {
  send(to: string): Promise<void>
  noteEnd(id: string): Promise<void>
}

/** A worker for the bare workflows, with the SDK's defaults. @returns what stops it. */
export async function startBareWorker(
  address: string,
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
  })
  const ended = worker.run()
  return async () => {
    worker.shutdown()
    await ended
    await connection.close()
  }
}
