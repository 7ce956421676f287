import { setTimeout as delay } from 'node:timers/promises'
import {
  agreeOnWorkplace,
  isSamePlace,
  readLastWork,
  readWorkplace,
  sayWorking,
  whyElsewhere,
  type Workplace,
} from '../instance/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { ensureSearchAttributes } from '../temporal/search-attributes.ts'
import { namespaceIdOf } from '../temporal/namespace-id.ts'
import type { Config } from '../platform/config.ts'
import { hasEnrolled, isKnown, markRestored } from '../relay/index.ts'
import type { Context } from './context.ts'

/** How often it is looked again, in milliseconds: behind the same address there may be another Temporal. */
const LOOK_MS = 15_000
/** How long Temporal may take to answer, in milliseconds. A worker that starts has nothing to do without it. */
const PATIENCE_MS = 5_000
const PATIENCE_AT_START_MS = 60_000

/** Where in Temporal a part of the installation is to work, by its configuration alone. */
const workplaceOf = ({ TEMPORAL_NAMESPACE, TEMPORAL_TASK_QUEUE }: Config) => ({
  namespace: TEMPORAL_NAMESPACE,
  namespaceId: null,
  taskQueue: TEMPORAL_TASK_QUEUE,
})

/** The same, of which Temporal is asked. */
const workplaceIn = async ({ temporal, config }: Asked, patienceMs = PATIENCE_MS) => ({
  ...workplaceOf(config),
  namespaceId: await temporal.withDeadline(Date.now() + patienceMs, () =>
    namespaceIdOf(temporal, config.TEMPORAL_NAMESPACE),
  ),
})

type Asked = Pick<Context, 'temporal' | 'orm'> & { config: Config }

export interface WorkplaceWatch {
  stop(): Promise<void>
}

/** A worker that has not said for so long that it works is dead, in seconds: it says so each time that it looks. */
const DEAD_AFTER_SECONDS = 60

/**
 * Agrees on where a worker works, and sees to it while it does: who has come into another Temporal holds all mail. One that is
 * started in another one than those that work is refused; where they may have died, it waits until that is certain.
 *
 * @throws {Error} that says what to set
 */
export async function settleWorkplace(
  context: Context,
  { lookMs = LOOK_MS, deadAfterSeconds = DEAD_AFTER_SECONDS } = {},
): Promise<WorkplaceWatch> {
  const { dependencies, log } = context
  const { em } = dependencies
  const mover = {
    hasEnrolled: () => hasEnrolled(em),
    hold: (unit: EntityManager) => markRestored(unit, { mayLive: true }),
    isKnown: () => isKnown(dependencies),
  }
  const agree = async (wanted: Workplace, assertNobodyWorks: () => Promise<void>) => {
    await agreeOnWorkplace(em, log, wanted, { ...mover, assertNobodyWorks })
    await sayWorking(em.fork())
  }
  let seen = await workplaceIn(context, PATIENCE_AT_START_MS)
  await agree(seen, () => assertNobodyWorks(em, log, seen, deadAfterSeconds))
  let elsewhere: string | undefined
  const look = async () => {
    // Also where Temporal is away: it will work again.
    if (elsewhere === undefined) await sayWorking(em.fork())
    const now = await workplaceIn(context)
    if (now.namespaceId !== null && now.namespaceId !== seen.namespaceId) {
      // It works itself, and has come there with the address: so have the others, or they will be told.
      await agree(now, () => Promise.resolve()).catch(async (error: unknown) => {
        elsewhere = await whyElsewhere(em.fork(), now)
        throw error
      })
      // It may be a new one, in which no enrollment could start.
      await ensureSearchAttributes(context.temporal, context.config.TEMPORAL_NAMESPACE)
      seen = now
    }
    // Another worker may have moved it: who stayed behind does not move it back.
    elsewhere = await whyElsewhere(em.fork(), now)
  }
  context.health.watch(() => elsewhere)
  return again(look, lookMs, log)
}

/**
 * Waits until it is certain that no worker works: each says so every now and then, and none says when it ends, because others may go on.
 * @throws {Error} that says what to do, where one does
 */
async function assertNobodyWorks(
  em: EntityManager,
  log: Context['log'],
  wanted: Workplace,
  deadAfterSeconds: number,
): Promise<void> {
  const last = await readLastWork(em.fork())
  if (last === null) return
  log.warn({}, 'Workers have worked in another Temporal: it is looked for up to a minute whether one still does')
  // By this clock: the other one may be set meanwhile.
  const left = Math.min(deadAfterSeconds - last.secondsAgo, deadAfterSeconds)
  // Also of who was silent for longer: Postgres may have been away, for all.
  const deadline = performance.now() + Math.max(left, deadAfterSeconds / 3) * 1_000
  while (performance.now() < deadline) {
    await delay(Math.min(1_000, deadAfterSeconds * 100))
    const now = await readLastWork(em.fork())
    // Of several who are started here together, one has taken it, and is the one who works.
    if (isSamePlace(await readWorkplace(em.fork()), wanted)) return
    if (now !== null && now.at !== last.at) {
      throw new Error(
        'Workers of this installation are at work in another Temporal, or another namespace of it. Set TEMPORAL_ADDRESS and ' +
          'TEMPORAL_NAMESPACE to what they have; or, where it is to be moved here, stop them first.',
      )
    }
  }
}

/**
 * Sees to it that an API works where the installation does. It waits for no Temporal: where that answers later, and is another
 * one, the API is unhealthy, and ends.
 * @throws {Error} that says what to set
 */
export async function keepToWorkplace(context: Context, lookMs = LOOK_MS): Promise<WorkplaceWatch> {
  const { orm, log, config, health } = context
  await agreeOnWorkplace(orm.em, log, workplaceOf(config))
  let elsewhere: string | undefined
  const look = async () => {
    elsewhere = await whyNotHere(context)
  }
  await look().catch(() => undefined)
  if (elsewhere !== undefined) throw new Error(elsewhere)
  health.watch(() => elsewhere)
  return again(look, lookMs, log)
}

/** Why this Temporal is not the one of the installation: its names are looked at before it is asked. */
export const whyNotHere = async (asked: Asked): Promise<string | undefined> =>
  (await whyElsewhere(asked.orm.em.fork(), workplaceOf(asked.config))) ??
  (await whyElsewhere(asked.orm.em.fork(), await workplaceIn(asked)))

/** Where Temporal or Postgres is away, what was found last is true. */
function again(look: () => Promise<void>, lookMs: number, log: Context['log']): WorkplaceWatch {
  let looking: Promise<void> | undefined
  const turn = () => {
    looking ??= look()
      .catch((error: unknown) => {
        log.warn(
          { error },
          'It could not be looked whether this is the Temporal of the installation; it is looked again',
        )
      })
      .finally(() => (looking = undefined))
  }
  const timer = setInterval(turn, lookMs).unref()
  return {
    async stop() {
      clearInterval(timer)
      await looking
    },
  }
}
