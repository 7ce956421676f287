import pMap from 'p-map'
import type { EntityManager } from '../platform/db/orm.ts'
import { activePage, activePlaces, deleteEnrollments, enrollmentPage, isStillEnrolled } from '../enrollments/index.ts'
import {
  advanceBatchJob,
  type Delivery,
  type Dependencies,
  enqueue,
  enqueueEach,
  completeDeliveries,
} from '../outbox/index.ts'
import { recordRejection } from '../bounces/index.ts'
import { deleteRemainingMessages, overdueRetries, waitingRetries } from '../messages/index.ts'
import { deleteRefusedEntriesOf, lostEvents } from '../triggers/index.ts'
import { redeliverEvent } from './lost-events.ts'
import { watchCampaigns } from './watch-campaigns.ts'
import { deleteContents, removeAutomation } from '../automations/index.ts'
import { continueMove } from '../publishing/index.ts'
import { advanceImport } from '../imports/index.ts'
import { readClockAhead } from '../workspaces/index.ts'
import { newCall } from '../platform/call.ts'
import { deleteRuns } from '../steps/index.ts'
import { advanceRehearsal, failRehearsal } from '../rehearsal/index.ts'
import { pageSizes } from '../platform/page-sizes.ts'

/**
 * Concurrency of the pages, whose sizes are in `pageSizes`. Deletions and reconciliations are not urgent, so they leave Temporal's
 * capacity to others. The emails of a deleted automation end with the DELETE request.
 */
const WAKES_AT_ONCE = 20
const DELETED_AT_ONCE = 2
/** Email contents deleted at once. Each can be hundreds of kilobytes. */
const CONTENTS_AT_ONCE = 100
const RECONCILE = { size: 50, concurrency: 5 }
/** Overdue retries compared with Temporal in each round. */
const RETRIES_AT_ONCE = 200
/**
 * Events are read a thousand at a time. Lost events are compared with Temporal one by one, only a few concurrently, so that
 * resuming an automation does not wait long.
 */
const REDELIVER = { size: 1_000, lost: 50, concurrency: 5 }
/** Minutes after which an event should have had an effect. A worker may be down for a while. */
const OVERDUE_MINUTES = 10

/** Attempts at a page of a rehearsal. */
const MAX_REHEARSAL_ATTEMPTS = 5

/** Seconds between two pages of a standing job, and between its end and the next round. */
const PAGE_SECONDS = 5
const AGAIN_SECONDS = 600

/** Seconds until the next check whether an email in flight is final. */
const BUSY_AGAIN_SECONDS = 5

/** Runs one page of a batch job. A failure for one item is recorded for that item, and the job continues. */
export async function runBatchJob(dependencies: Dependencies, delivery: Delivery): Promise<void> {
  switch (delivery.kind) {
    case 'MOVE_CLOCK':
      return moveClock(dependencies, delivery)
    case 'WAKE_PAUSED':
      return wakePaused(dependencies, delivery)
    case 'WAKE_RETRIES':
      return wakeRetries(dependencies, delivery)
    case 'MOVE':
      return continueMove(dependencies, delivery)
    case 'DELETE_AUTOMATION':
      return deleteAutomation(dependencies, delivery)
    case 'IMPORT':
      return continueImport(dependencies, delivery)
    case 'REHEARSE':
      return rehearse(dependencies, delivery)
    case 'BOUNCE':
      await recordRejection(dependencies, delivery.messageId!)
      return completeDeliveries(dependencies.em.fork(), [delivery])
    case 'ERASE':
      return eraseWhenFinal(dependencies, delivery)
    case 'RECONCILE':
      return reconcile(dependencies, delivery)
    case 'REDELIVER':
      return redeliver(dependencies, delivery)
    case 'START':
    case 'WAKE':
    case 'CANCEL':
    case 'END':
    case 'LEAVE':
    case 'SKIP':
    case 'RETRY':
    case 'CAMPAIGN':
    case 'NOTICE':
    case 'RESET_DONE':
    case 'INVITATION':
      throw new Error(`A ${delivery.kind} is a delivery and not a batch job`)
  }
}

/** Tells the enrollments of a test workspace how far its clock is ahead. If a signal fails, the page is repeated. */
async function moveClock({ em, enrollments }: Dependencies, delivery: Delivery): Promise<void> {
  const fork = em.fork()
  const workspaceId = delivery.workspaceId!
  const clockAhead = await readClockAhead(fork, workspaceId)
  const page = await activePlaces(fork, workspaceId, delivery.afterId, pageSizes.wake)
  await pMap(page, (place) => enrollments.moveClock(place, clockAhead), { concurrency: WAKES_AT_ONCE })
  if (page.length === pageSizes.wake) return advanceBatchJob(fork, delivery, page.at(-1)!.id)
  await completeDeliveries(fork, [delivery])
}

/** Wakes the paused enrollments of an automation that sends again. */
async function wakePaused({ em, enrollments, log }: Dependencies, delivery: Delivery): Promise<void> {
  const fork = em.fork()
  const automationId = delivery.automationId!
  const page = await enrollmentPage(fork, { automationId, afterId: delivery.afterId, paused: true }, pageSizes.wake)
  await pMap(
    page.filter(({ active }) => active),
    async (place) => {
      const { contactId, concurrencyKey } = place
      try {
        await enrollments.wake(place)
      } catch (error) {
        log.warn({ error, automationId, contactId }, 'Could not wake a paused enrollment; retrying later')
        await enqueue(em.fork(), { kind: 'WAKE', automationId, contactId, concurrencyKey })
      }
    },
    { concurrency: WAKES_AT_ONCE },
  )
  if (page.length === pageSizes.wake) return advanceBatchJob(fork, delivery, page.at(-1)!.id)
  await completeDeliveries(fork, [delivery])
}

/** Enqueues the pending retries of an automation that sends again. */
async function wakeRetries({ em }: Dependencies, delivery: Delivery): Promise<void> {
  const fork = em.fork()
  const of = { automationId: delivery.automationId! }
  const page = await waitingRetries(fork, of, delivery.afterId, pageSizes.wakeRetries)
  await enqueueEach(fork, 'RETRY', page, 'bulk')
  if (page.length === pageSizes.wakeRetries) return advanceBatchJob(fork, delivery, page.at(-1)!.id)
  await completeDeliveries(fork, [delivery])
}

/** Ends and deletes the enrollments of a deleted automation, and finally the automation. */
async function deleteAutomation({ em, enrollments, log }: Dependencies, delivery: Delivery): Promise<void> {
  const fork = em.fork()
  const automationId = delivery.automationId!
  // Processed enrollments are deleted, so the next page is always the first one.
  const page = await enrollmentPage(fork, { automationId, afterId: null, paused: false }, pageSizes.deletedAutomation)
  await pMap(
    page.filter(({ active }) => active),
    async (place) => {
      const { contactId, concurrencyKey } = place
      try {
        await enrollments.cancel(place)
      } catch (error) {
        log.warn(
          { error, automationId, contactId },
          'Could not cancel a workflow of a deleted automation; retrying later',
        )
        await enqueue(em.fork(), { kind: 'CANCEL', automationId, contactId, concurrencyKey })
      }
    },
    { concurrency: DELETED_AT_ONCE },
  )
  const ids = page.map(({ id }) => id)
  if (!(await deleteEnrollments(fork, ids, deleteRuns)))
    return advanceBatchJob(fork, delivery, null, BUSY_AGAIN_SECONDS)
  if (page.length === pageSizes.deletedAutomation) return advanceBatchJob(fork, delivery, null)
  if (!(await deleteRefusedEntriesOf(fork, automationId, pageSizes.deletedAutomation)))
    return advanceBatchJob(fork, delivery, null)
  if (!(await deleteContents(fork, automationId, CONTENTS_AT_ONCE))) return advanceBatchJob(fork, delivery, null)
  await removeAutomation(fork, automationId)
  await completeDeliveries(fork, [delivery])
}

/** Imports the next chunk of a file. If it took too long, the next attempt imports half as many rows. */
async function continueImport({ em }: Dependencies, delivery: Delivery): Promise<void> {
  const fork = em.fork()
  const { workspaceId, importId, attempts } = delivery
  const found = await advanceImport({ em: fork }, workspaceId!, importId!, newCall(), attempts)
  if (found?.status === 'RUNNING') await advanceBatchJob(fork, delivery, null)
  else await completeDeliveries(fork, [delivery])
}

/** Rehearses the next page of contacts. The rehearsal fails after 5 attempts at a page. */
async function rehearse({ em }: Dependencies, delivery: Delivery): Promise<void> {
  const { rehearsalId, attempts } = delivery
  if (attempts > MAX_REHEARSAL_ATTEMPTS) await failRehearsal(em.fork(), rehearsalId!)
  else if (await advanceRehearsal(em, rehearsalId!)) return advanceBatchJob(em.fork(), delivery, null)
  await completeDeliveries(em.fork(), [delivery])
}

async function eraseWhenFinal({ em }: Dependencies, delivery: Delivery): Promise<void> {
  const fork = em.fork()
  if (await deleteRemainingMessages(fork, delivery.contactId!)) await completeDeliveries(fork, [delivery])
  else await advanceBatchJob(fork, delivery, null, BUSY_AGAIN_SECONDS)
}

/** Compares the database with Temporal: each ACTIVE enrollment should have a workflow. */
async function reconcile(dependencies: Dependencies, delivery: Delivery): Promise<void> {
  const fork = dependencies.em.fork()
  const page = await activePage(fork, delivery.afterId, RECONCILE.size)
  await pMap(page, (enrollment) => isStillEnrolled(dependencies, enrollment.id, enrollment), {
    concurrency: RECONCILE.concurrency,
  })
  if (page.length < RECONCILE.size) {
    await retryOverdue(dependencies)
    await watchCampaigns(dependencies, { signalRunning: true })
  }
  await advanceStandingJob(fork, delivery, page.length < RECONCILE.size ? null : page.at(-1)!.id)
}

/** Starts the workflows of overdue retries. A retry whose workflow is still running is left to that workflow. */
async function retryOverdue({ em, enrollments }: Dependencies): Promise<void> {
  const overdue = await overdueRetries(em.fork(), RETRIES_AT_ONCE)
  await pMap(overdue, ({ id, workspaceId }) => enrollments.retry(workspaceId, id), {
    concurrency: RECONCILE.concurrency,
  })
}

/** Delivers events again that Temporal has lost. @see redeliverEvent */
async function redeliver(dependencies: Dependencies, delivery: Delivery): Promise<void> {
  const fork = dependencies.em.fork()
  // If a page took too long, the next attempt reads half as many: one event may concern a thousand automations.
  const size = Math.max(1, REDELIVER.size >> Math.min(delivery.attempts - 1, 10))
  const page = await lostEvents(fork, { afterId: delivery.afterId, limit: size, atLeastMinutes: OVERDUE_MINUTES })
  const lost = page.lost.slice(0, REDELIVER.lost)
  await pMap(lost, (each) => redeliverEvent(dependencies, each), { concurrency: REDELIVER.concurrency })
  // If an event concerns more automations, the rest follows in the next round.
  const isWhole = lost.length === page.lost.length
  await advanceStandingJob(fork, delivery, isWhole ? page.lastId : lost.at(-1)!.eventId)
}

const advanceStandingJob = (em: EntityManager, delivery: Delivery, lastId: string | null): Promise<void> =>
  advanceBatchJob(em, delivery, lastId, lastId === null ? AGAIN_SECONDS : PAGE_SECONDS)
