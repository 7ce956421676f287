import type { Client } from '@temporalio/client'
import type { Config } from '../platform/config.ts'
import { sendingQueue } from '../temporal/task-queues.ts'

/** A worker asks Temporal anew every minute; who has stopped is listed for five. */
const POLL_SECONDS = 70

/** How many workers asked for work within a minute. @throws where Temporal does not answer within so many milliseconds */
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
