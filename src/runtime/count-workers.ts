import type { Client } from '@temporalio/client'
import type { Config } from '../platform/config.ts'
import { sendingQueue } from '../temporal/task-queues.ts'

/** A worker polls Temporal at least once a minute; a stopped one is listed for five minutes. */
const POLL_SECONDS = 70

/** Counts the workers that polled for work within a minute. @throws if Temporal does not respond in time */
export async function countWorkers(
  client: Client,
  { TEMPORAL_NAMESPACE: namespace, TEMPORAL_TASK_QUEUE: taskQueue }: Config,
  patienceMs: number,
): Promise<number> {
  const { workflowService } = client.connection
  const pollers = await Promise.all(
    [
      { name: taskQueue, taskQueueType: 1 },
      { name: sendingQueue(taskQueue), taskQueueType: 2 },
    ].map(async ({ name, taskQueueType }) => {
      const found = await client.withDeadline(Date.now() + patienceMs, () =>
        workflowService.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType }),
      )
      return (found.pollers ?? []).filter(({ lastAccessTime }) => isRecent(lastAccessTime)).length
    }),
  )
  return Math.min(...pollers)
}

const isRecent = (at: { seconds?: { toString(): string } | null } | null | undefined): boolean =>
  Number(at?.seconds?.toString() ?? 0) > Date.now() / 1000 - POLL_SECONDS
