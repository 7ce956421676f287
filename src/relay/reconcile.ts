import pMap from 'p-map'
import { activePage, reconcileEnrollment, type Reconciled, recordEnrollment, statusesOf } from '../enrollments/index.ts'
import { loadKnownEnrollments } from './queries.ts'
import { withSmallerPages } from '../platform/db/smaller-pages.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { ListedEnrollment } from '../temporal/index.ts'
import { assertLostUntil, readSendingGate } from '../instance/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { lostEvents } from '../triggers/index.ts'
import { deliverAgain } from './lost-events.ts'
import { enableSending } from './restored.ts'

/** Somebody of whom ledger and Temporal said different things, and what was done about it. */
export interface Difference {
  /** There is none yet of who was to be entered by an event. */
  enrollmentId: string | null
  automationId: string
  contactId: string
  /**
   * - resumed: ACTIVE without a workflow; goes on where it was by the ledger
   * - ended: ACTIVE, and its workflow was ended by somebody; is CANCELLED
   * - told: paused there by a pause that is over; goes on
   * - closed: its workflow ran, and it is over by the ledger; the workflow is cancelled
   * - recorded: its workflow ran, and the ledger did not know it; it does now
   * - removed: the same, of an automation or a contact that there is not; the workflow is cancelled
   * - delivered: an event had reached Temporal, and nothing came of it; it is delivered again
   */
  what: Exclude<Reconciled, 'running' | 'over'> | 'closed' | 'recorded' | 'removed' | 'delivered'
}

export interface Reconciliation {
  /** How many are ACTIVE by the ledger, and how many workflows run. */
  active: number
  running: number
  differences: Difference[]
  /** Of how many nobody could tell, or nothing be done: Temporal or Postgres failed. */
  failed: number
  /** Whether sending is enabled now, and whether it was before. */
  isSending: boolean
  wasSending: boolean
}

const PAGE = 500
const CONCURRENCY = 20

/**
 * Compares all enrollments with Temporal, both ways. An enrollment without a workflow continues where it was. A workflow whose
 * enrollment the database does not have, or has as ended, is recorded or cancelled. Nothing that is recorded as sent is sent
 * again. It may be repeated, also while workers run. Afterwards, sending is enabled.
 *
 * @param options.isDry whether to change nothing: `differences` is what would change
 * @param options.lostUntil see `enableSending`
 */
export async function reconcile(
  dependencies: Dependencies,
  { isDry = false, lostUntil }: { isDry?: boolean; lostUntil?: Date | null | undefined } = {},
): Promise<Reconciliation> {
  const { em, enrollments, log } = dependencies
  // Before anything is changed.
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
        // Where Temporal is away, it is the same of thousands.
        const reason = String(error)
        if (reasons.has(reason)) return
        reasons.add(reason)
        const { automationId, contactId } = item
        log.error({ error, automationId, contactId }, 'An enrollment could not be reconciled')
      }
    }
    await pMap(items, attempt, { concurrency: CONCURRENCY })
  }

  const running = new Map<string, ListedEnrollment>()
  for await (const listed of enrollments.listRunning()) {
    running.set(listed.enrollmentId, listed)
  }
  done.running = running.size

  // First those that the ledger does not have as ACTIVE: whoever runs takes the place of who is in there by the ledger alone.
  const all = [...running.values()]
  for (let n = 0; n < all.length; n += PAGE) {
    const page = all.slice(n, n + PAGE)
    const known = await statusesOf(
      em.fork(),
      page.map(({ enrollmentId }) => enrollmentId),
    )
    const doubtful = page.filter(({ enrollmentId }) => known.get(enrollmentId) !== 'ACTIVE')
    await each(doubtful, async (listed) => {
      const { enrollmentId, automationId, contactId } = listed
      // What is listed may have ended since, or be another one's by now: of those nothing is to be told.
      const state = await enrollments.state(automationId, contactId, enrollmentId)
      if (state !== 'RUNNING' && state !== 'PAUSED') return
      const status = known.get(enrollmentId)
      const what = status === undefined ? await recordRunning(em, listed, isDry) : 'closed'
      if (what === undefined) return
      if (what !== 'recorded' && !isDry) await enrollments.end(automationId, contactId, enrollmentId)
      differ(listed, what)
    })
  }

  for (let afterId: string | null = null; ;) {
    const page = await activePage(em.fork(), afterId, PAGE, 0)
    done.active += page.length
    const doubtful = page.filter(({ id }) => running.get(id)?.isHeld !== false)
    await each(doubtful, async (active) => {
      const { id, automationId, contactId } = active
      const what = isDry ? await wouldBe(dependencies, active) : await reconcileEnrollment(dependencies, active)
      if (what !== 'running' && what !== 'over') differ({ enrollmentId: id, automationId, contactId }, what)
    })
    if (page.length < PAGE) break
    afterId = page.at(-1)!.id
  }

  // Last: whoever is in by now has received them. Workers look for these, too, but wait until they are old.
  for (let afterId: string | null = null; ;) {
    const page: LostPage = await lostPage(em, afterId)
    await each(page.lost, async (lost) => {
      if (await deliverAgain(dependencies, lost, isDry)) differ({ ...lost, enrollmentId: null }, 'delivered')
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

/** Each event may be for a thousand automations. */
const lostPage = (em: EntityManager, afterId: string | null): Promise<LostPage> =>
  withSmallerPages(PAGE, (limit) => lostEvents(em.fork(), { afterId, limit, atLeastMinutes: 0 }))

/**
 * Has the ledger record an enrollment that runs, and that it does not know. It knows best: what it has received already, or has begun
 * by another workflow, it does not record, and the workflow finds that by itself.
 * @returns `removed` where its automation or its contact is gone; nothing where it is left to itself
 */
async function recordRunning(
  em: EntityManager,
  listed: ListedEnrollment,
  isDry: boolean,
): Promise<'recorded' | 'removed' | undefined> {
  const { enrollmentId: id, automationId, contactId, dedupKey, enrolledAt } = listed
  const { isOurs, isPossible, knowsEvent } = await loadKnownEnrollments(em.fork(), listed)
  // Another instance's, on the same Temporal; or of an automation that is newer than the ledger, and ends by itself.
  if (!isOurs) return undefined
  if (!isPossible) return 'removed'
  if (isDry) return 'recorded'
  // An event that the ledger has lost cannot say what it has received of.
  const triggerEventId = knowsEvent ? listed.triggerEventId : null
  const write = { id, automationId, contactId, dedupKey, triggerEventId, enrolledAt: new Date(enrolledAt) }
  return (await recordEnrollment(em.fork(), write)) === 'ACTIVE' ? 'recorded' : undefined
}

async function wouldBe(
  { enrollments }: Dependencies,
  { id, automationId, contactId, sends }: { id: string; automationId: string; contactId: string; sends: boolean },
): Promise<Reconciled> {
  const state = await enrollments.state(automationId, contactId, id)
  if (state === 'RUNNING') return 'running'
  if (state === 'PAUSED') return sends ? 'told' : 'running'
  return state === 'CLOSED' ? 'ended' : 'resumed'
}
