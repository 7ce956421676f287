import pMap from 'p-map'
import { countOutdated, endOutdated, outdatedPage } from '../enrollments/index.ts'
import {
  advanceBatchJob,
  completeDeliveries,
  deferDeliveries,
  type Delivery,
  type Dependencies,
} from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { pageSizes } from '../platform/page-sizes.ts'
import { waits } from '../platform/waits.ts'
import type { AutomationMove } from './entities.ts'
import { findMove, lockRunningMove, writeFinish } from './queries.ts'

const SIGNALS_AT_ONCE = 20
/** Pages of signalled enrollments that have not moved yet. Beyond that, the job waits a few times, for at most 15 seconds. */
const MAX_PAGES_IN_FLIGHT = 2
const MAX_PAUSES = 4
/** Seconds until enrollments that have not moved are signalled again. The longer the move lasts, the rarer. */
const SIGNAL_AGAIN_SECONDS = { min: 1, max: 3_600 }

/** Runs one page of a move, or of ending the enrollments in older versions. */
export async function continueMove(dependencies: Dependencies, delivery: Delivery): Promise<void> {
  const em = dependencies.em.fork()
  const move = await findMove(em, delivery.automationId!)
  if (!move || move.stoppedAt !== null) return completeDeliveries(em, [delivery])
  await (move.inside === 'FINISH' ? finishPage(em, move, delivery) : movePage(dependencies, em, move, delivery))
}

async function finishPage(em: EntityManager, move: AutomationMove, delivery: Delivery): Promise<void> {
  const found = await em.transactional(async (unit) => {
    const running = await lockRunningMove(unit, move.automationId)
    return running?.inside === 'FINISH' ? endOutdated(unit, running, pageSizes.move) : 0
  })
  if (found === pageSizes.move) return advanceBatchJob(em, delivery, null)
  await finish(em, move, delivery)
}

/**
 * Signals the next enrollments, whose workflows move them. An enrollment whose email is in flight moves after it. Pages repeat from the
 * first one until no enrollment is left, so a lost signal is sent again.
 */
async function movePage(
  { enrollments, log }: Dependencies,
  em: EntityManager,
  move: AutomationMove,
  delivery: Delivery,
): Promise<void> {
  const { afterId, attempts } = delivery
  const { automationId, version } = move
  const inFlight = afterId === null ? 0 : await countOutdated(em, move, afterId)
  if (inFlight > MAX_PAGES_IN_FLIGHT * pageSizes.move && attempts <= MAX_PAUSES) return deferDeliveries(em, [delivery])
  const page = await outdatedPage(em, move, afterId, pageSizes.move)
  await pMap(
    page,
    async (place) => {
      try {
        await enrollments.move(place, place.id, version)
      } catch (error) {
        log.warn({ error, automationId, enrollmentId: place.id }, 'Could not signal a move; retrying later')
      }
    },
    { concurrency: SIGNALS_AT_ONCE },
  )
  if (page.length === pageSizes.move) return advanceBatchJob(em, delivery, page.at(-1)!.id)
  if ((await countOutdated(em, move)) === 0) return finish(em, move, delivery)
  const { min, max } = SIGNAL_AGAIN_SECONDS
  const seconds = (Date.now() - move.startedAt.getTime()) / 1_000
  await advanceBatchJob(em, delivery, null, Math.min(Math.max(seconds / 10, min), max))
}

/** Finishes a move, and looks a last time for enrollments that were being recorded in the older version when it started. */
async function finish(em: EntityManager, move: AutomationMove, delivery: Delivery): Promise<void> {
  await writeFinish(em, move)
  if (Date.now() - move.startedAt.getTime() > waits.lateEnrollments) return completeDeliveries(em, [delivery])
  await advanceBatchJob(em, delivery, null, waits.lateEnrollments / 1_000)
}
