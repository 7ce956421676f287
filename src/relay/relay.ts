import { pageSizes } from '../platform/page-sizes.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { deleteExpired } from '../accounts/index.ts'
import { deleteOldEntries } from '../audit/index.ts'
import { deleteOldWebhookCalls } from '../bounces/index.ts'
import { waits } from '../platform/waits.ts'
import { foldCounters } from '../counters/index.ts'
import { deleteIdleWindows } from '../workspaces/index.ts'
import { forgetIdempotencyKeys } from '../http/index.ts'
import {
  completeDeliveries,
  type Delivery,
  type Dependencies,
  FIRST_TURN,
  type Lane,
  LANES,
  leaseDeliveries,
  enqueue,
  deferDeliveries,
  STANDING_JOBS,
} from '../outbox/index.ts'
import { deleteOldConfirmationEmails } from '../lists/index.ts'
import { deleteOldRefusedEntries, deleteOldTriggerEvents } from '../triggers/index.ts'
import {
  ABANDONED_SECONDS,
  deleteOldContent,
  deleteUnusedAhead,
  expireLeases,
  SENDER_STOPPED_ERROR,
} from '../messages/index.ts'
import { deleteOldEmailContent, deleteUnusedContents } from '../emails/index.ts'
import { decideVisits } from '../tracking/index.ts'
import { sweepTriggers } from '../automations/index.ts'
import { leaveByConditions } from '../enrollments/index.ts'
import type { SendNotice } from '../instance/index.ts'
import { deleteOldWebhookEvents } from '../webhooks/index.ts'
import { deleteOldFiles } from '../imports/index.ts'
import { deleteOldRehearsals } from '../rehearsal/index.ts'
import { applyKeptCalls, deleteOldKeptCalls } from '../sources/index.ts'
import { deliver } from './deliver.ts'
import { deleteOldHistory } from './delete-old-history.ts'
import { guardAutomations } from './guard-automations.ts'
import { recoverFromClockChange } from './recover-outbox.ts'
import { runBatchJob } from './batch-jobs.ts'
import { watchCampaigns } from './watch-campaigns.ts'

/** Maximum milliseconds between checks after failures, for example if Postgres is down. */
const MAX_PAUSE_MS = 15_000
/** Deliveries taken at once, and concurrent calls to Temporal. Bulk leaves most of Temporal's capacity to others. */
const PAGES = {
  interactive: { size: 100, concurrency: 20 },
  bulk: { size: 50, concurrency: 5 },
  batch: { size: 1, concurrency: 1 },
  mail: { size: 1, concurrency: 1 },
} satisfies Record<Lane, { size: number; concurrency: number }>
/** Milliseconds between two rounds of upkeep. */
const UPKEEP_MS = 60_000
/** Contents of attachments deleted at once. */
const CONTENTS_DELETED = 50

/** Milliseconds that no page ever exceeds: each of its calls has a timeout of seconds. */
const MAX_PAGE_MS = 15 * 60_000

export interface Relay {
  /** Rejects if a loop ended because of a bug. */
  ended: Promise<void>
  /** Describes the problem if a loop is stuck. */
  problem(): string | undefined
  stop(): Promise<void>
}

/**
 * Processes the pending deliveries of the outbox, with one loop per lane so that no lane waits for another. All work is recorded
 * before it starts, in the transaction that causes it, and is safe to repeat. So any number of relays can run, and any of them
 * can crash.
 *
 * Why this is a loop in the worker and not a Temporal schedule: see docs/decisions/0021-outbox-relay.md.
 */
export function startRelay(
  dependencies: Dependencies,
  {
    idleMs = waits.outboxIdle,
    longestPageMs = MAX_PAGE_MS,
    sendNotice,
  }: { idleMs?: number; longestPageMs?: number; sendNotice?: SendNotice } = {},
): Relay {
  const stopping = new AbortController()
  const { signal } = stopping
  const { log } = dependencies
  /** When each running loop began its current turn. */
  const turns = new Map<string, number>()
  const loop = async (what: string, run: () => Promise<boolean>, idleMs: number) => {
    for (let pause = idleMs; !signal.aborted;) {
      turns.set(what, performance.now())
      try {
        if (await run()) continue
        pause = idleMs
      } catch (error) {
        log.warn({ error, what }, 'Outbox relay failed; retrying')
        pause = Math.min(pause * 2, MAX_PAUSE_MS)
      } finally {
        turns.delete(what)
      }
      await delay(pause, undefined, { signal }).catch(() => undefined)
    }
  }
  const ended = Promise.all([
    ...LANES.map((lane) => loop(lane, inTurns(dependencies, lane, sendNotice), idleMs)),
    loop('upkeep', upkeep(dependencies), UPKEEP_MS),
    loop('stats', addUpCounters(dependencies), idleMs),
    loop('visits', visits(dependencies), idleMs),
    loop('sources', keptCalls(dependencies), waits.keptCalls),
    loop('campaigns', campaigns(dependencies), waits.campaignCheck),
    loop('reputation', guarding(dependencies), waits.reputationCheck),
    loop('leaving', leaving(dependencies), waits.leaving),
    loop('triggers', sweeping(dependencies), waits.sweep),
    loop('history', history(dependencies), waits.history),
  ]).then(() => undefined)
  return {
    ended,
    problem() {
      const limit = performance.now() - longestPageMs
      const stuck = [...turns].flatMap(([what, since]) => (since < limit ? [what] : []))
      return stuck.length === 0 ? undefined : `The outbox relay is stuck: ${stuck.join(', ')}`
    },
    async stop() {
      stopping.abort()
      await ended
    },
  }
}

/** Seconds for workers and Temporal to start before enrollments are checked for missing workflows. */
const STANDING_AFTER_SECONDS = 60

/** @returns a function that processes one page of a lane, and returns whether there was any work */
function inTurns(dependencies: Dependencies, lane: Lane, sendNotice?: SendNotice): () => Promise<boolean> {
  const { size, concurrency } = PAGES[lane]
  let turn = FIRST_TURN
  return async () => {
    const page = await leaseDeliveries(dependencies.em.fork(), lane, size, turn)
    turn = page.turn
    const due = page.deliveries
    if (lane === 'batch') for (const delivery of due) await continueBatchJob(dependencies, delivery)
    else if (lane === 'mail') for (const delivery of due) await notify(dependencies, delivery, sendNotice)
    else if (due.length > 0) await deliver(dependencies, due, concurrency)
    return due.length > 0
  }
}

async function continueBatchJob(dependencies: Dependencies, delivery: Delivery): Promise<void> {
  try {
    await runBatchJob(dependencies, delivery)
  } catch (error) {
    const { kind, automationId, contactId } = delivery
    dependencies.log.warn({ error, kind, automationId, contactId }, 'Batch job failed; rescheduled')
    await deferDeliveries(dependencies.em.fork(), [delivery])
  }
}

/** Sends an email to an owner. Repeats it if the process dies before the email is recorded as sent. */
async function notify({ em, log }: Dependencies, delivery: Delivery, sendNotice: SendNotice | undefined) {
  const { accountId, webhookId, automationId, campaignId, attempts } = delivery
  try {
    const isDone = (await sendNotice?.(delivery)) ?? false
    await (isDone ? completeDeliveries : deferDeliveries)(em.fork(), [delivery])
  } catch (error) {
    const fields = { accountId, webhookId, automationId, campaignId, attempts }
    log.warn({ error, ...fields }, 'An email to an owner could not be sent; rescheduled')
    await deferDeliveries(em.fork(), [delivery])
  }
}

/** Changes added to the counters at once. */
const CHANGES_FOLDED = 5_000

const addUpCounters =
  ({ em }: Dependencies): (() => Promise<boolean>) =>
  async () =>
    (await foldCounters(em.fork(), CHANGES_FOLDED)) === CHANGES_FOLDED

const keptCalls = (dependencies: Dependencies) => (): Promise<boolean> => applyKeptCalls(dependencies)

const campaigns = (dependencies: Dependencies) => async (): Promise<boolean> => {
  await watchCampaigns(dependencies)
  return false
}

const guarding = (dependencies: Dependencies) => async (): Promise<boolean> => {
  await guardAutomations(dependencies)
  return false
}

const leaving = (dependencies: Dependencies) => async (): Promise<boolean> => {
  await leaveByConditions(dependencies)
  return false
}

const sweeping = (dependencies: Dependencies) => async (): Promise<boolean> => {
  await sweepTriggers(dependencies)
  return false
}

const history =
  ({ em }: Dependencies): (() => Promise<boolean>) =>
  () =>
    deleteOldHistory(em, pageSizes.expired)

/** Tracking events decided at once. */
const VISITS_DECIDED = 1_000

const visits =
  ({ em }: Dependencies): (() => Promise<boolean>) =>
  async () =>
    (await decideVisits(em.fork(), VISITS_DECIDED)) >= VISITS_DECIDED

/**
 * Enqueues the standing jobs if they are missing, recovers from a clock that was set back, and deletes expired rows.
 * @returns a function that runs one round, and returns whether there may be more
 */
function upkeep({ em, log }: Dependencies): () => Promise<boolean> {
  /** Reduced after a round that took too long: one event may concern a thousand automations. */
  let events = pageSizes.expired
  return async () => {
    await recoverFromClockChange(em.fork())
    for (const kind of STANDING_JOBS) await enqueue(em.fork(), { kind }, STANDING_AFTER_SECONDS)
    for (const messageId of await expireLeases(em.fork(), {
      error: SENDER_STOPPED_ERROR,
      graceSeconds: ABANDONED_SECONDS,
      limit: pageSizes.expired,
    })) {
      log.warn({ status: 'UNCONFIRMED', messageId }, 'The process sending an email died; delivery unconfirmed')
    }
    await deleteUnusedAhead(em.fork())
    const contents = await deleteUnusedContents(em.fork(), CONTENTS_DELETED)
    const bodies = await deleteOldContent(em.fork(), pageSizes.expired)
    const emailContents = await deleteOldEmailContent(em.fork(), pageSizes.expired)
    const asks = await deleteOldConfirmationEmails(em.fork(), pageSizes.expired)
    const windows = await deleteIdleWindows(em.fork(), pageSizes.expired)
    const keys = await forgetIdempotencyKeys(em.fork(), pageSizes.expired)
    const ended = await deleteExpired(em.fork(), pageSizes.expired)
    const entries = await deleteOldEntries(em.fork(), pageSizes.expired)
    const calls = await deleteOldWebhookCalls(em.fork(), pageSizes.expired)
    const refused = await deleteOldRefusedEntries(em.fork(), pageSizes.expired)
    const webhookEvents = await deleteOldWebhookEvents(em.fork(), pageSizes.expired)
    const files = await deleteOldFiles(em.fork(), pageSizes.expired)
    const kept = await deleteOldKeptCalls(em.fork(), pageSizes.expired)
    const rehearsals = await deleteOldRehearsals(em.fork(), pageSizes.expired)
    const most = events
    events = Math.max(1, most >> 2)
    const mayBeMore = (await deleteOldTriggerEvents(em.fork(), most)) === most
    events = Math.min(most * 2, pageSizes.expired)
    return (
      mayBeMore ||
      contents >= CONTENTS_DELETED ||
      rehearsals > 0 ||
      [bodies, emailContents, asks, windows, keys, ended, entries, calls, refused, webhookEvents, files, kept].some(
        (forgotten) => forgotten >= pageSizes.expired,
      )
    )
  }
}
