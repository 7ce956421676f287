import type { Client } from '@temporalio/client'
import type { TemporalBinding } from '../instance/index.ts'
import type { Config } from '../platform/config.ts'
import { namespaceIdOf } from '../temporal/namespace-id.ts'

/** Milliseconds that Temporal may take to describe its namespace. */
const TIMEOUT_MS = 10_000

interface Configured {
  temporal: Client
  config: Config
}

/** Reads the configured namespace and task queue. @throws if Temporal does not respond, or has no such namespace */
export async function readConfiguredTemporalBinding({ temporal, config }: Configured): Promise<TemporalBinding> {
  const { TEMPORAL_NAMESPACE: namespace, TEMPORAL_TASK_QUEUE: taskQueue } = config
  const namespaceId = await temporal.withDeadline(Date.now() + TIMEOUT_MS, () => namespaceIdOf(temporal, namespace))
  return { namespace, namespaceId, taskQueue }
}

/** Returns the same without the namespace's ID if Temporal does not respond, so that an API starts without it. */
export const readReachableTemporalBinding = (configured: Configured): Promise<TemporalBinding> =>
  readConfiguredTemporalBinding(configured).catch(() => ({
    namespace: configured.config.TEMPORAL_NAMESPACE,
    namespaceId: null,
    taskQueue: configured.config.TEMPORAL_TASK_QUEUE,
  }))
