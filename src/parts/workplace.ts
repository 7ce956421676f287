import type { Client } from '@temporalio/client'
import type { Config } from '../platform/config.ts'
import { namespaceIdOf } from '../platform/temporal/namespace-id.ts'

/** Where in Temporal a part of the installation is to work, by its configuration alone. */
export const workplaceOf = ({ TEMPORAL_NAMESPACE, TEMPORAL_TASK_QUEUE }: Config) => ({
  namespace: TEMPORAL_NAMESPACE,
  namespaceId: null,
  taskQueue: TEMPORAL_TASK_QUEUE,
})

/** The same, of which Temporal is asked. */
export const workplaceIn = async (temporal: Client, config: Config) => ({
  ...workplaceOf(config),
  namespaceId: await namespaceIdOf(temporal, config.TEMPORAL_NAMESPACE),
})
