import { ApplicationFailure } from '@temporalio/activity'
import type { OfInstance } from '../src/automation-engine/index.ts'
import type { ActivityDependencies } from './dependencies.ts'

export type { OfInstance }

/**
 * Keeps to the enrollments of this instance. Another one whose workers poll the same task queue has their tasks handed
 * out here: in this database they are nobody's, and would end as if there were nothing to do. The attempt fails, and the
 * next one finds a worker of theirs.
 */
export function checkInstance<Activities extends { [name in keyof Activities]: (input: never) => Promise<unknown> }>(
  activities: Activities,
  { instance, log }: Pick<ActivityDependencies, 'instance' | 'log'>,
): Activities {
  const kept =
    (name: string, run: (input: never) => Promise<unknown>) =>
    async (input: OfInstance): Promise<unknown> => {
      const [theirs, ours] = [input.instanceId, await instance()]
      if (theirs === ours) return run(input as never)
      const message =
        `This enrollment is of the instance ${theirs}, and this worker is of ${ours}: both poll one task queue of ` +
        "Temporal's. Give each instance a namespace of its own (TEMPORAL_NAMESPACE)."
      log.error({ activity: name, theirs, ours }, message)
      throw ApplicationFailure.retryable(message, 'ForeignInstance')
    }
  const entries = Object.entries<(input: never) => Promise<unknown>>(activities)
  return Object.fromEntries(entries.map(([name, run]) => [name, kept(name, run)])) as unknown as Activities
}
