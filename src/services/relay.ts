import { setTimeout as delay } from 'node:timers/promises'
import pMap from 'p-map'
import {
  advancePropagation,
  deleteEnrollments,
  endPropagation,
  enrollmentPage,
  leasePropagation,
  removeAutomation,
  type Propagation,
  type PropagationKind,
} from '../db/queries/propagations.ts'
import { leaseTriggerEvents } from '../db/queries/trigger-events.ts'
import { endCancellation, leaseCancellations, type Cancellation } from '../db/queries/erase-contact.ts'
import { forgetIdleWindows } from '../db/queries/admission.ts'
import { forgetIdempotencyKeys } from '../db/queries/idempotency-keys.ts'
import { deliverTriggerEvents } from './deliver-trigger-events.ts'
import type { Dependencies } from './dependencies.ts'

/** Milliseconds between two looks at a database in which nothing was due. */
const IDLE_MS = 1_000
/** After a failure (Postgres or Temporal away) the pauses grow up to this. */
const MAX_PAUSE_MS = 15_000
const EVENTS_A_PAGE = 100
const CANCELLATIONS_A_PAGE = 200
const CONCURRENCY = 20
/**
 * How many enrollments are told of a change in one page, and how many at a time. Nothing waits for a teardown, whose emails
 * have ended with the DELETE: it leaves Temporal to others, and its pages are short, so that events soon have their turn.
 */
const PAGES = {
  WAKE: { size: 200, concurrency: 20 },
  TEARDOWN: { size: 50, concurrency: 2 },
} satisfies Record<PropagationKind, { size: number; concurrency: number }>
/** Milliseconds between two looks for what has served its time, and how much is forgotten at once. */
const FORGET_MS = 60_000
const ROWS_FORGOTTEN = 1_000

export interface Relay {
  stop(): Promise<void>
}

/**
 * Does what the database says is still owed to Temporal: events that nobody has delivered, and changes of automations
 * that their enrollments have not been told of. Everything it does is noted before it is begun, in the transaction that
 * made it due, and may be done twice; so any number of relays can run, and any of them can die.
 *
 * Why this is a loop in the worker and not a Temporal schedule: see docs/decisions.md.
 */
export function startRelay(dependencies: Dependencies): Relay {
  const stopping = new AbortController()
  const loop = async () => {
    let pause = IDLE_MS
    let forgetAt = Date.now()
    while (!stopping.signal.aborted) {
      try {
        if (await relayOnce(dependencies)) continue
        if (Date.now() >= forgetAt && !(await forgetOnce(dependencies))) forgetAt = Date.now() + FORGET_MS
        pause = IDLE_MS
      } catch (error) {
        dependencies.log.warn({ error }, 'The relay could not do its work and tries again')
        pause = Math.min(pause * 2, MAX_PAUSE_MS)
      }
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const ended = loop()
  return {
    stop() {
      stopping.abort()
      return ended
    },
  }
}

/** Does one page of each kind of work. @returns whether there was any. */
export async function relayOnce(dependencies: Dependencies): Promise<boolean> {
  const events = await leaseTriggerEvents(dependencies.em.fork(), EVENTS_A_PAGE)
  if (events.length > 0) await deliverTriggerEvents(dependencies, events)
  const propagation = await leasePropagation(dependencies.em.fork())
  if (propagation) await propagatePage(dependencies, propagation)
  const cancellations = await leaseCancellations(dependencies.em.fork(), CANCELLATIONS_A_PAGE)
  await cancelEnrollments(dependencies, cancellations)
  return events.length > 0 || propagation !== undefined || cancellations.length > 0
}

/** Ends the enrollments of contacts who were erased. May be repeated. */
export async function cancelEnrollments(
  { em, enrollments }: Dependencies,
  cancellations: readonly Cancellation[],
): Promise<void> {
  await pMap(
    cancellations,
    async (cancellation) => {
      await enrollments.cancel(cancellation.automationId, cancellation.contactId)
      await endCancellation(em.fork(), cancellation)
    },
    { concurrency: CONCURRENCY },
  )
}

/** Forgets what has served its time. @returns whether there may be more. */
async function forgetOnce({ em }: Dependencies): Promise<boolean> {
  const windows = await forgetIdleWindows(em.fork(), ROWS_FORGOTTEN)
  const keys = await forgetIdempotencyKeys(em.fork(), ROWS_FORGOTTEN)
  return windows === ROWS_FORGOTTEN || keys === ROWS_FORGOTTEN
}

/** Tells one page of an automation's enrollments of its change: those it held look again, those of a deleted one end. */
async function propagatePage({ em, enrollments }: Dependencies, propagation: Propagation): Promise<void> {
  const { automationId, kind } = propagation
  const fork = em.fork()
  const { size, concurrency } = PAGES[kind]
  const page = await enrollmentPage(fork, propagation, size)
  await pMap(
    page.filter((enrollment) => enrollment.active),
    ({ contactId }) =>
      kind === 'TEARDOWN'
        ? enrollments.cancel(automationId, contactId)
        : enrollments.automationChanged(automationId, contactId),
    { concurrency },
  )
  if (kind === 'TEARDOWN') {
    await deleteEnrollments(
      fork,
      page.map(({ id }) => id),
    )
  }
  const last = page.at(-1)
  // What a teardown has dealt with is gone, so that its next page is again the first one.
  const nextAfter = kind === 'TEARDOWN' ? null : (last?.id ?? null)
  if (page.length === size) await advancePropagation(fork, propagation, nextAfter)
  else if (kind === 'TEARDOWN') await removeAutomation(fork, automationId)
  else await endPropagation(fork, propagation)
}
