import { firstWorkplace, moveWorkplace, readInstallationId, type Workplace } from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Log } from '../outbox/index.ts'

/** Tells the id of this installation, which its database has. It is read once a process, when it is needed first. */
export function installationOf(em: EntityManager): () => Promise<string> {
  let id: string | undefined
  return async () => (id ??= await readInstallationId(em.fork()))
}

/**
 * Holds where a part is to work in Temporal against where the installation does. Another task queue in the same namespace is
 * a mistake: what runs is in the first one, and a copy of the database would end and cancel in there what is not its own,
 * because workflows are named by automation and contact. Another namespace has nothing of that: it is taken, and told. What is
 * moved so is most often a copy, and its original goes on: it sends nothing before somebody says so.
 *
 * @param onMove says that it is as one that was restored
 * @throws {Error} that says what to set
 */
export async function agreeOnWorkplace(
  em: EntityManager,
  log: Log,
  wanted: Workplace,
  onMove: () => Promise<void>,
): Promise<void> {
  const unit = em.fork()
  const first = await firstWorkplace(unit, wanted)
  if (first.namespace !== wanted.namespace) {
    await onMove()
    log.warn(
      { from: first, to: wanted },
      'This installation works in another namespace of Temporal from now on, and sends nothing before: npm run cli -- reconcile ' +
        '(--nothing-lost where it was moved, and is no copy)',
    )
    return moveWorkplace(unit, wanted)
  }
  if (first.taskQueue === wanted.taskQueue) return
  throw new Error(
    `This installation works in the task queue "${first.taskQueue}" of Temporal's namespace "${first.namespace}". ` +
      `Set TEMPORAL_TASK_QUEUE to that; or, where this is a copy of another installation's database, set ` +
      'TEMPORAL_NAMESPACE to one of its own: in the same one it would cancel what the other one runs.',
  )
}
