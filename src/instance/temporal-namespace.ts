import { readInstanceId, readTemporalBinding, recordTemporalBinding, type TemporalBinding } from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'

/** Returns a function that reads the ID of this instance, once per process. */
export function instanceIdOf(em: EntityManager): () => Promise<string> {
  let id: string | undefined
  return async () => (id ??= await readInstanceId(em.fork()))
}

/**
 * Records which namespace and task queue of Temporal this instance uses, if no process has yet, and rejects any other. Workflows
 * are named by automation and contact, so a copy of the database would cancel the workflows of its original, and its workers
 * would email the same contacts.
 *
 * @throws {Error} that says what to set
 */
export async function assertTemporalBinding(em: EntityManager, configured: TemporalBinding): Promise<void> {
  const problem = differenceOf(await recordTemporalBinding(em.fork(), configured), configured)
  if (problem !== undefined) throw new Error(problem)
}

/** Describes why the configured namespace is not the recorded one, and what to set. Records nothing. */
export async function findTemporalBindingProblem(
  em: EntityManager,
  configured: TemporalBinding,
): Promise<string | undefined> {
  const recorded = await readTemporalBinding(em.fork())
  return recorded === null ? undefined : differenceOf(recorded, configured)
}

function differenceOf(recorded: TemporalBinding, configured: TemporalBinding): string | undefined {
  const isOtherTemporal =
    recorded.namespaceId !== null && configured.namespaceId !== null && recorded.namespaceId !== configured.namespaceId
  const hasOtherName =
    (recorded.namespace !== null && recorded.namespace !== configured.namespace) ||
    recorded.taskQueue !== configured.taskQueue
  if (!isOtherTemporal && !hasOtherName) return undefined
  const place = ({ taskQueue, namespace }: TemporalBinding) =>
    `the task queue "${taskQueue}" of the namespace "${namespace}"`
  return (
    (hasOtherName
      ? `This instance uses ${place(recorded)} of Temporal, and not ${place(configured)}. `
      : `This instance uses another Temporal server, whose namespace has the same name, "${recorded.namespace}". `) +
    'Set TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and TEMPORAL_TASK_QUEUE to the values of its workers. If the database is a copy, or ' +
    'Temporal was moved, stop all workers and run: npm run cli -- reconcile --restored'
  )
}
