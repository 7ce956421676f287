import { ApplicationFailure } from '@temporalio/activity'
import type { OfInstallation } from '../src/sequences/index.ts'
import type { ActivityDependencies } from './dependencies.ts'

export type { OfInstallation }

/**
 * Keeps to the enrollments of this installation. Another one whose workers poll the same task queue has their tasks handed
 * out here: in this database they are nobody's, and would end as if there were nothing to do. The attempt fails, and the
 * next one finds a worker of theirs.
 */
export function ofOwnEnrollments<Activities extends { [name in keyof Activities]: (input: never) => Promise<unknown> }>(
  activities: Activities,
  { installation, log }: Pick<ActivityDependencies, 'installation' | 'log'>,
): Activities {
  const kept =
    (name: string, run: (input: never) => Promise<unknown>) =>
    async (input: OfInstallation): Promise<unknown> => {
      const [theirs, ours] = [input.installationId, await installation()]
      if (theirs === ours) return run(input as never)
      const message =
        `This enrollment is of the installation ${theirs}, and this worker is of ${ours}: both poll one task queue of ` +
        "Temporal's. Give each installation a namespace of its own (TEMPORAL_NAMESPACE)."
      log.error({ activity: name, theirs, ours }, message)
      throw ApplicationFailure.retryable(message, 'ForeignInstallation')
    }
  const entries = Object.entries<(input: never) => Promise<unknown>>(activities)
  return Object.fromEntries(entries.map(([name, run]) => [name, kept(name, run)])) as unknown as Activities
}
