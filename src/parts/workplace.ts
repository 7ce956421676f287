import { agreeOnWorkplace, whyElsewhere } from '../installation/index.ts'
import { ensureSearchAttributes } from '../platform/temporal/search-attributes.ts'
import { namespaceIdOf } from '../platform/temporal/namespace-id.ts'
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
  stop(): void
}

/**
 * Agrees on where a worker works, and sees to it while it does: who has come into another Temporal holds all mail.
 * @throws {Error} that says what to set
 */
export async function settleWorkplace(context: Context, lookMs = LOOK_MS): Promise<WorkplaceWatch> {
  const { dependencies, log } = context
  const { em } = dependencies
  const mover = {
    // Where nobody was ever enrolled, nothing can be sent twice: a first start only put its name right.
    async hold() {
      if (await hasEnrolled(em)) await markRestored(em)
      // It may be a new one, in which no enrollment could start.
      await ensureSearchAttributes(context.temporal, context.config.TEMPORAL_NAMESPACE)
    },
    isKnown: () => isKnown(dependencies),
  }
  let seen = await workplaceIn(context, PATIENCE_AT_START_MS)
  await agreeOnWorkplace(em, log, seen, mover)
  let elsewhere: string | undefined
  const look = async () => {
    const now = await workplaceIn(context)
    if (now.namespaceId !== null && now.namespaceId !== seen.namespaceId) {
      await agreeOnWorkplace(em, log, now, mover)
      seen = now
    }
    // Another worker may have moved it: who stayed behind does not move it back.
    elsewhere = await whyElsewhere(em.fork(), now)
  }
  context.health.watch(() => elsewhere)
  return again(look, lookMs, log)
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
  let isLooking = false
  const turn = async () => {
    if (isLooking) return
    isLooking = true
    await look().catch((error: unknown) => {
      log.warn({ error }, 'It could not be looked whether this is the Temporal of the installation; it is looked again')
    })
    isLooking = false
  }
  const timer = setInterval(() => void turn(), lookMs).unref()
  return { stop: () => clearInterval(timer) }
}
