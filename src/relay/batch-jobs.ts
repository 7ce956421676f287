import pMap from 'p-map'
import type { EntityManager } from '../platform/db/orm.ts'
import { activePage, deleteEnrollments, enrollmentPage, isStillEnrolled } from '../enrollments/index.ts'
import {
  advanceBatchJob,
  type Delivery,
  type Dependencies,
  enqueue,
  enqueueEach,
  completeDeliveries,
} from '../outbox/index.ts'
import { eraseRest, overdueRetries, waitingRetries } from '../messages/index.ts'
import { lostEvents } from '../triggers/index.ts'
import { deliverAgain } from './lost-events.ts'
import { watchCampaigns } from './watch-campaigns.ts'
import { deleteContents, removeAutomation } from '../automations/index.ts'

/**
 * How many enrollments a page has, and how many are dealt with at a time. Nobody waits for a teardown, whose emails have
 * ended with the DELETE, nor for a reconciliation: they leave Temporal to others.
 */
const WAKE = { size: 200, concurrency: 20 }
const WAKE_RETRIES_SIZE = 1_000
const DELETE_AUTOMATION = { size: 50, concurrency: 2 }
/** How much of what its emails said is removed at once: each can be hundreds of kilobytes. */
const CONTENTS_AT_ONCE = 100
const RECONCILE = { size: 50, concurrency: 5 }
/** How many retries are held against Temporal in each round. */
const RETRIES_AT_ONCE = 200
/** Events are looked through by the thousand; with Temporal they are held one by one, and a resumption may wait behind that. */
const REDELIVER = { size: 1_000, lost: 50, concurrency: 5 }
/** How old an event is, in minutes, when something should have come of it: a worker may be away for a while. */
const OVERDUE_MINUTES = 10

/** Seconds between two pages of what goes round for ever, and between its end and the next time. */
const PAGE_SECONDS = 5
const AGAIN_SECONDS = 600

/** How soon it is looked again whether an email that is being handed over is settled, in seconds. */
const BUSY_AGAIN_SECONDS = 5

/** Does one page of what is pending for many. What fails for one of them is noted for that one, and the walk goes on. */
export async function runBatchJob(dependencies: Dependencies, delivery: Delivery): Promise<void> {
  switch (delivery.kind) {
    case 'WAKE_PAUSED':
      return wakeHeld(dependencies, delivery)
    case 'WAKE_RETRIES':
      return wakeAsked(dependencies, delivery)
    case 'DELETE_AUTOMATION':
      return tearDown(dependencies, delivery)
    case 'ERASE':
      return eraseWhenSettled(dependencies, delivery)
    case 'RECONCILE':
      return reconcile(dependencies, delivery)
    case 'REDELIVER':
      return redeliver(dependencies, delivery)
    case 'START':
    case 'WAKE':
    case 'CANCEL':
    case 'END':
    case 'RETRY':
    case 'CAMPAIGN':
      throw new Error(`A ${delivery.kind} is a delivery, and no walk`)
  }
}

/** Wakes those whom an automation holds: it sends again. */
async function wakeHeld({ em, enrollments, log }: Dependencies, delivery: Delivery): Promise<void> {
  const fork = em.fork()
  const automationId = delivery.automationId!
  const page = await enrollmentPage(fork, { automationId, afterId: delivery.afterId, paused: true }, WAKE.size)
  await pMap(
    page.filter(({ active }) => active),
    async ({ contactId }) => {
      try {
        await enrollments.automationChanged(automationId, contactId)
      } catch (error) {
        log.warn({ error, automationId, contactId }, 'A paused enrollment is woken later')
        await enqueue(em.fork(), { kind: 'WAKE', automationId, contactId })
      }
    },
    { concurrency: WAKE.concurrency },
  )
  if (page.length === WAKE.size) return advanceBatchJob(fork, delivery, page.at(-1)!.id)
  await completeDeliveries(fork, [delivery])
}

/** Makes due what is to be tried again of an automation that sends again. */
async function wakeAsked({ em }: Dependencies, delivery: Delivery): Promise<void> {
  const fork = em.fork()
  const of = { automationId: delivery.automationId! }
  const page = await waitingRetries(fork, of, delivery.afterId, WAKE_RETRIES_SIZE)
  await enqueueEach(fork, 'RETRY', page, 'bulk')
  if (page.length === WAKE_RETRIES_SIZE) return advanceBatchJob(fork, delivery, page.at(-1)!.id)
  await completeDeliveries(fork, [delivery])
}

/** Ends and removes the enrollments of a deleted automation, and at last the automation. */
async function tearDown({ em, enrollments, log }: Dependencies, delivery: Delivery): Promise<void> {
  const fork = em.fork()
  const automationId = delivery.automationId!
  // What was dealt with is gone, so that the next page is again the first one.
  const page = await enrollmentPage(fork, { automationId, afterId: null, paused: false }, DELETE_AUTOMATION.size)
  await pMap(
    page.filter(({ active }) => active),
    async ({ contactId }) => {
      try {
        await enrollments.cancel(automationId, contactId)
      } catch (error) {
        log.warn({ error, automationId, contactId }, 'The workflow of a deleted automation is cancelled later')
        await enqueue(em.fork(), { kind: 'CANCEL', automationId, contactId })
      }
    },
    { concurrency: DELETE_AUTOMATION.concurrency },
  )
  const ids = page.map(({ id }) => id)
  if (!(await deleteEnrollments(fork, ids))) return advanceBatchJob(fork, delivery, null, BUSY_AGAIN_SECONDS)
  if (page.length === DELETE_AUTOMATION.size) return advanceBatchJob(fork, delivery, null)
  if (!(await deleteContents(fork, automationId, CONTENTS_AT_ONCE))) return advanceBatchJob(fork, delivery, null)
  await removeAutomation(fork, automationId)
  await completeDeliveries(fork, [delivery])
}

async function eraseWhenSettled({ em }: Dependencies, delivery: Delivery): Promise<void> {
  const fork = em.fork()
  if (await eraseRest(fork, delivery.contactId!)) await completeDeliveries(fork, [delivery])
  else await advanceBatchJob(fork, delivery, null, BUSY_AGAIN_SECONDS)
}

/** Holds the ledger against Temporal: whoever is ACTIVE there should have a workflow. */
async function reconcile(dependencies: Dependencies, delivery: Delivery): Promise<void> {
  const fork = dependencies.em.fork()
  const page = await activePage(fork, delivery.afterId, RECONCILE.size)
  await pMap(page, (enrollment) => isStillEnrolled(dependencies, enrollment), { concurrency: RECONCILE.concurrency })
  if (page.length < RECONCILE.size) {
    await retryOverdue(dependencies)
    await watchCampaigns(dependencies, { signalRunning: true })
  }
  await goRound(fork, delivery, page.length < RECONCILE.size ? null : page.at(-1)!.id)
}

/** Who is to try a message again and is still there is left to it. */
async function retryOverdue({ em, enrollments }: Dependencies): Promise<void> {
  const overdue = await overdueRetries(em.fork(), RETRIES_AT_ONCE)
  await pMap(overdue, ({ id, workspaceId }) => enrollments.retry(workspaceId, id), {
    concurrency: RECONCILE.concurrency,
  })
}

/** Looks for events that Temporal has lost. @see deliverAgain */
async function redeliver(dependencies: Dependencies, delivery: Delivery): Promise<void> {
  const fork = dependencies.em.fork()
  // A page that took too long is tried again with half of it: an event may be for a thousand automations.
  const size = Math.max(1, REDELIVER.size >> Math.min(delivery.attempts - 1, 10))
  const page = await lostEvents(fork, { afterId: delivery.afterId, limit: size, atLeastMinutes: OVERDUE_MINUTES })
  const lost = page.lost.slice(0, REDELIVER.lost)
  await pMap(lost, (each) => deliverAgain(dependencies, each), { concurrency: REDELIVER.concurrency })
  // The rest of what one event is for comes in the next round.
  const isWhole = lost.length === page.lost.length
  await goRound(fork, delivery, isWhole ? page.lastId : lost.at(-1)!.eventId)
}

const goRound = (em: EntityManager, delivery: Delivery, lastId: string | null): Promise<void> =>
  advanceBatchJob(em, delivery, lastId, lastId === null ? AGAIN_SECONDS : PAGE_SECONDS)
