import {
  firstWorkplace,
  lockWorkplace,
  moveWorkplace,
  readInstallationId,
  readWorkplace,
  type Workplace,
} from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Log } from '../outbox/index.ts'

/** Tells the id of this installation, which its database has. It is read once a process, when it is needed first. */
export function installationOf(em: EntityManager): () => Promise<string> {
  let id: string | undefined
  return async () => (id ??= await readInstallationId(em.fork()))
}

/** Who may move an installation to another place. */
export interface Mover {
  /** @throws {Error} that says what to do, where somebody works in the other one */
  assertNobodyWorks(): Promise<void>
  /** Whether anybody was enrolled, or is to be. */
  hasEnrolled(): Promise<boolean>
  /** Says that it is as one that was restored, in the transaction that moves it. */
  hold(em: EntityManager): Promise<void>
  /** Whether this Temporal knows of anybody who has been enrolled for a while; also where nobody has. */
  isKnown(): Promise<boolean>
}

/**
 * Holds where a part is to work in Temporal against where the installation does. Another task queue in the same namespace is
 * a mistake: what runs is in the first one, and a copy of the database would end and cancel in there what is not its own,
 * because workflows are named by automation and contact. Another namespace, also one of the same name in another Temporal, has
 * nothing of that: a worker, which has seen that it is there, takes it, and tells. What is moved so is most often a copy, and its
 * original goes on: it sends nothing before somebody says so. Its task queue keeps its name there, where anybody is enrolled. Who
 * only asks is refused, because a name may be mistyped. Of what worked before the ledger kept the id, Temporal itself says whether
 * it is this one.
 *
 * @param mover left out by who is not to move it
 * @throws {Error} that says what to set
 */
export async function agreeOnWorkplace(em: EntityManager, log: Log, wanted: Workplace, mover?: Mover): Promise<void> {
  const unit = em.fork()
  const before = await readWorkplace(unit)
  const isFirstId = before?.namespaceId === null && before.namespace === wanted.namespace && wanted.namespaceId !== null
  const isUnknown = mover !== undefined && isFirstId && !(await mover.isKnown())
  const first = isUnknown ? before : await firstWorkplace(unit, wanted)
  const moves = isUnknown || isAnother(first, wanted)
  if (moves && mover) {
    // Of the places that 0.1.0 kept none is certain: there whoever came last wrote it, in whichever namespace.
    const isOther = first.taskQueue !== wanted.taskQueue
    if (isOther && first.namespaceId !== null && (await mover.hasEnrolled())) throw otherQueue(first)
    await mover.assertNobodyWorks()
    const taken = await unit.transactional(async (transaction) => {
      await lockWorkplace(transaction)
      const now = await readWorkplace(transaction)
      // Of several workers one moves it.
      if (isSamePlace(now, wanted)) return now
      // Where nobody is enrolled nothing can be sent twice: a first start only put its name right.
      if (await mover.hasEnrolled()) await mover.hold(transaction)
      await moveWorkplace(transaction, wanted)
      return null
    })
    if (taken) return assertSameQueue(taken, wanted)
    log.warn(
      { from: first, to: wanted },
      'This installation works in another namespace of Temporal from now on, and sends nothing before: npm run cli -- reconcile ' +
        '(--nothing-lost where it was moved, and is no copy)',
    )
    return
  }
  if (moves) throw elsewhere(first, wanted)
  assertSameQueue(first, wanted)
}

/** @throws {Error} that says what to set */
function assertSameQueue(first: Workplace, wanted: Workplace): void {
  if (first.taskQueue !== wanted.taskQueue) throw elsewhere(first, wanted)
}

const otherQueue = (first: Workplace): Error =>
  new Error(
    `An installation keeps its task queue wherever it works: set TEMPORAL_TASK_QUEUE to "${first.taskQueue}" here, too. What ` +
      'an API has started there meanwhile, or it has itself before, is in that, and nobody would look for it in another.',
  )

const elsewhere = (first: Workplace, wanted: Workplace): Error =>
  new Error(
    `${whatDiffers(first, wanted)} Set TEMPORAL_TASK_QUEUE and TEMPORAL_NAMESPACE to that; or, where this is a copy of another ` +
      "installation's database, set TEMPORAL_NAMESPACE alone to one of its own, and start a worker there first: in the same one it " +
      'would cancel what the other one runs.',
  )

/** Whether two are the same namespace for certain, of the same Temporal. */
export const isSamePlace = (one: Workplace | null, other: Workplace): boolean =>
  one?.namespace === other.namespace && one.namespaceId === other.namespaceId

/** Where nobody has told an id, the name has to do. */
const isAnother = (first: Workplace, wanted: Workplace): boolean =>
  first.namespace !== wanted.namespace ||
  (first.namespaceId !== null && wanted.namespaceId !== null && first.namespaceId !== wanted.namespaceId)

/**
 * For what changes nothing about that, and would do harm elsewhere.
 *
 * @returns what to set, where the installation works somewhere else
 */
export async function whyElsewhere(em: EntityManager, wanted: Workplace): Promise<string | undefined> {
  const first = await readWorkplace(em)
  if (!first) return undefined
  if (first.namespace !== wanted.namespace || first.taskQueue !== wanted.taskQueue) {
    return `${whatDiffers(first, wanted)} Set TEMPORAL_TASK_QUEUE and TEMPORAL_NAMESPACE to what its workers have.`
  }
  if (!isAnother(first, wanted)) return undefined
  return (
    `This is another Temporal than this installation works in, whose namespace is called "${first.namespace}", too. Set ` +
    'TEMPORAL_ADDRESS to the one that its workers have; where they are to work in this one from now on, start one first.'
  )
}

const whatDiffers = (first: Workplace, wanted: Workplace): string =>
  `This installation works in the task queue "${first.taskQueue}" of Temporal's namespace "${first.namespace}", and not in ` +
  `"${wanted.taskQueue}" of "${wanted.namespace}".`
