import { ApplicationFailure } from '@temporalio/activity'
import type { InstanceRef } from '../src/automation-engine/index.ts'
import type { ActivityDependencies } from './dependencies.ts'

export type { InstanceRef }

/**
 * Rejects enrollments of other instances. If workers of another instance poll the same task queue, this worker gets their tasks.
 * This database does not have their enrollments, so they would end as if there were nothing to do. Failing the attempt lets the
 * next one reach a worker of their own.
 */
export function checkInstance<Activities extends { [name in keyof Activities]: (input: never) => Promise<unknown> }>(
  activities: Activities,
  { instance, log }: Pick<ActivityDependencies, 'instance' | 'log'>,
): Activities {
  const kept =
    (name: string, run: (input: never) => Promise<unknown>) =>
    async (input: InstanceRef): Promise<unknown> => {
      const [theirs, ours] = [input.instanceId, await instance()]
      if (theirs === ours) return run(input as never)
      const message =
        `This enrollment belongs to the instance ${theirs}, and this worker to ${ours}, but both poll the same Temporal task queue. ` +
        'Give each instance its own namespace (TEMPORAL_NAMESPACE).'
      log.error({ activity: name, theirs, ours }, message)
      throw ApplicationFailure.retryable(message, 'ForeignInstance')
    }
  const entries = Object.entries<(input: never) => Promise<unknown>>(activities)
  return Object.fromEntries(entries.map(([name, run]) => [name, kept(name, run)])) as unknown as Activities
}
