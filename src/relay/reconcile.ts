import pMap from 'p-map'
import {
  type ActiveEnrollment,
  activePage,
  reconcileEnrollment,
  type Reconciled,
  recordEnrollment,
  statusesOf,
} from '../enrollments/index.ts'
import { loadKnownEnrollments } from './queries.ts'
import { withSmallerPages } from '../platform/db/smaller-pages.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { pageSizes } from '../platform/page-sizes.ts'
import type { ListedEnrollment } from '../temporal/index.ts'
import { assertLostUntil, readSendingGate } from '../instance/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { lostEvents } from '../triggers/index.ts'
import { redeliverEvent } from './lost-events.ts'
import { enableSending } from './restored.ts'

/** A difference between the database and Temporal, and what was done about it. */
interface Difference {
  /** `null` if an event has not started the enrollment yet. */
  enrollmentId: string | null
  automationId: string
  contactId: string
  /**
   * Kinds of differences:
   * - resumed: ACTIVE without a workflow; continues after its last message in the database
   * - ended: ACTIVE, but its workflow was ended by an operator; now CANCELLED
   * - woken: its workflow is paused although the automation sends again; signalled to continue
   * - closed: its workflow runs, but it has ended in the database; the workflow is cancelled
   * - recorded: its workflow runs, but the database did not have it; now it does
   * - removed: its workflow runs, but the automation or the contact does not exist; the workflow is cancelled
   * - delivered: an event reached Temporal without any effect; it is delivered again
   */
  what: Exclude<Reconciled, 'running' | 'over'> | 'closed' | 'recorded' | 'removed' | 'delivered'
}

export interface Reconciliation {
  /** Number of enrollments that are ACTIVE in the database, and of running workflows. */
  active: number
  running: number
  differences: Difference[]
  /** Number of enrollments that could not be checked or repaired, because Temporal or Postgres failed. */
  failed: number
  /** Whether sending is enabled now, and whether it was before. */
  isSending: boolean
  wasSending: boolean
}

const CONCURRENCY = 20

/**
 * Compares all enrollments with Temporal, both ways. An enrollment without a workflow continues where it left off. A workflow
 * whose enrollment the database does not have, or has as ended, is recorded or cancelled. Messages recorded as sent are not sent
 * again. It is safe to repeat, even while workers run. Afterwards, sending is enabled.
 *
 * @param options.isDry whether to change nothing: `differences` is what would change
 * @param options.lostUntil see `enableSending`
 */
export async function reconcile(
  dependencies: Dependencies,
  { isDry = false, lostUntil }: { isDry?: boolean; lostUntil?: Date | null | undefined } = {},
): Promise<Reconciliation> {
  const { em, enrollments, log } = dependencies
  // Check before anything is changed.
  await assertLostUntil(em.fork(), lostUntil)
  const { isOpen } = await readSendingGate(em.fork())
  const done: Reconciliation = {
    active: 0,
    running: 0,
    differences: [],
    failed: 0,
    isSending: isOpen,
    wasSending: isOpen,
  }
  const differ = (of: Omit<Difference, 'what'>, what: Difference['what']) => {
    const { enrollmentId, automationId, contactId } = of
    done.differences.push({ enrollmentId, automationId, contactId, what })
  }
  const reasons = new Set<string>()
  const each = async <Item extends Pick<Difference, 'automationId' | 'contactId'>>(
    items: readonly Item[],
    run: (item: Item) => Promise<void>,
  ) => {
    const attempt = async (item: Item) => {
      try {
        await run(item)
      } catch (error) {
        done.failed += 1
        // If Temporal is down, thousands of enrollments have the same error.
        const reason = String(error)
        if (reasons.has(reason)) return
        reasons.add(reason)
        const { automationId, contactId } = item
        log.error({ error, automationId, contactId }, 'Could not reconcile an enrollment')
      }
    }
    await pMap(items, attempt, { concurrency: CONCURRENCY })
  }

  const running = new Map<string, ListedEnrollment>()
  for await (const listed of enrollments.listRunning()) {
    running.set(listed.enrollmentId, listed)
  }
  done.running = running.size

  // Start with those that are not ACTIVE in the database: a running workflow takes precedence over an enrollment that is only in
  // the database.
  const all = [...running.values()]
  for (let n = 0; n < all.length; n += pageSizes.reconciliation) {
    const page = all.slice(n, n + pageSizes.reconciliation)
    const known = await statusesOf(
      em.fork(),
      page.map(({ enrollmentId }) => enrollmentId),
    )
    const doubtful = page.filter(({ enrollmentId }) => known.get(enrollmentId) !== 'ACTIVE')
    await each(doubtful, async (listed) => {
      const { enrollmentId } = listed
      // A listed workflow may have ended since, or belong to another enrollment by now. Those need nothing.
      const state = await enrollments.state(listed, enrollmentId)
      if (state !== 'RUNNING' && state !== 'PAUSED') return
      const status = known.get(enrollmentId)
      const what = status === undefined ? await recordRunning(em, listed, isDry) : 'closed'
      if (what === undefined) return
      if (what !== 'recorded' && !isDry) await enrollments.end(listed, enrollmentId)
      differ(listed, what)
    })
  }

  for (let afterId: string | null = null; ;) {
    const page = await activePage(em.fork(), afterId, pageSizes.reconciliation, 0)
    done.active += page.length
    const doubtful = page.filter(({ id }) => running.get(id)?.isHeld !== false)
    await each(doubtful, async (active) => {
      const { id, automationId, contactId } = active
      const what = isDry ? await wouldBe(dependencies, active) : await reconcileEnrollment(dependencies, id, active)
      if (what !== 'running' && what !== 'over') differ({ enrollmentId: id, automationId, contactId }, what)
    })
    if (page.length < pageSizes.reconciliation) break
    afterId = page.at(-1)!.id
  }

  // Last, because running enrollments have received their events by now. Workers also look for lost events, but only for old
  // ones.
  for (let afterId: string | null = null; ;) {
    const page: LostPage = await lostPage(em, afterId)
    await each(page.lost, async (lost) => {
      if (await redeliverEvent(dependencies, lost, isDry)) differ({ ...lost, enrollmentId: null }, 'delivered')
    })
    if (page.lastId === null) break
    afterId = page.lastId
  }

  if (!isDry && done.failed === 0) {
    await enableSending(em, lostUntil)
    done.isSending = true
  }
  return done
}

type LostPage = Awaited<ReturnType<typeof lostEvents>>

/** Each event may concern a thousand automations. */
const lostPage = (em: EntityManager, afterId: string | null): Promise<LostPage> =>
  withSmallerPages(pageSizes.reconciliation, (limit) => lostEvents(em.fork(), { afterId, limit, atLeastMinutes: 0 }))

/**
 * Records an enrollment whose workflow runs and which the database does not have. Enrollments whose event was processed already,
 * or started by another workflow, are not recorded, and their workflow detects this itself.
 * @returns `removed` if its automation or its contact is deleted; nothing if it is left alone
 */
async function recordRunning(
  em: EntityManager,
  listed: ListedEnrollment,
  isDry: boolean,
): Promise<'recorded' | 'removed' | undefined> {
  const { enrollmentId: id, automationId, contactId, concurrencyKey, dedupKey, enrolledAt } = listed
  const { isOurs, isPossible, knowsEvent } = await loadKnownEnrollments(em.fork(), listed)
  // It belongs to another instance on the same Temporal; or its automation is newer than the database, and its workflow ends by
  // itself.
  if (!isOurs) return undefined
  if (!isPossible) return 'removed'
  if (isDry) return 'recorded'
  // An event that the database lost cannot be used for deduplication.
  const triggerEventId = knowsEvent ? listed.triggerEventId : null
  const write = {
    ...{ id, automationId, contactId, concurrencyKey, dedupKey, triggerEventId },
    enrolledAt: new Date(enrolledAt),
  }
  return (await recordEnrollment(em.fork(), write)) === 'ACTIVE' ? 'recorded' : undefined
}

async function wouldBe({ enrollments }: Dependencies, { id, sends, ...place }: ActiveEnrollment): Promise<Reconciled> {
  const state = await enrollments.state(place, id)
  if (state === 'RUNNING') return 'running'
  if (state === 'PAUSED') return sends ? 'woken' : 'running'
  return state === 'CLOSED' ? 'ended' : 'resumed'
}
