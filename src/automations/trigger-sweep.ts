import { timeIn } from '../workspaces/index.ts'
import { createHash } from 'node:crypto'
import { idOfBytes } from '../platform/ids.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { pageSizes } from '../platform/page-sizes.ts'
import { runEach } from '../platform/run-each.ts'
import { resolveSegments } from '../segments/index.ts'
import {
  areTooManyWaiting,
  recordTriggerOccurrences,
  type TriggerOccurrence,
  NOBODY_LISTENS,
} from '../triggers/index.ts'
import type { Automation } from './entities.ts'
import { dateTriggerOf, metadataKeyOf, occurrenceIn, possibleDates } from './occurrences.ts'
import {
  addMembers,
  advanceStartedUntil,
  deleteMembers,
  findDated,
  lockExisting,
  lockSwept,
  findLeftMembers,
  findNewMembers,
  removeMembers,
  type SweptAutomation,
  sweptAutomations,
} from './sweep-queries.ts'

/** Maximum time for which dates are caught up after a downtime. */
const MAX_CATCH_UP_MS = 3 * 86_400_000

type Triggered = Pick<Automation, 'id' | 'workspaceId' | 'trigger' | 'triggerKey'>

/** Begins to listen, in the transaction that activates an automation: only contacts who change from then on start it. */
export async function beginSweeps(em: EntityManager, automation: Automation): Promise<void> {
  const { id, workspaceId, trigger, triggerKey } = automation
  if (trigger === 'DATE') automation.startedUntil = await timeIn(em, workspaceId)
  if (trigger !== 'SEGMENT_ENTERED' || triggerKey == null) return deleteMembers(em, id)
  await deleteMembers(em, id)
  const at = await timeIn(em, workspaceId)
  const condition = await resolveSegments(em, workspaceId, { segment: triggerKey })
  for (let afterId: string | undefined, size = pageSizes.segmentMembers; size === pageSizes.segmentMembers;) {
    const page = await findNewMembers(em, { id, workspaceId, at }, condition, {
      afterId: afterId ?? null,
      limit: pageSizes.segmentMembers,
    })
    await addMembers(em, id, page)
    size = page.length
    afterId = page.at(-1)
  }
}

/** Ends what {@link beginSweeps} began. */
export const endSweeps = (em: EntityManager, { id }: Triggered): Promise<void> => deleteMembers(em, id)

/**
 * Starts the automations whose segment a contact entered, or whose date was reached. An automation that fails does not keep
 * others from starting.
 *
 * Any number of processes can run it: an event is written in the transaction that makes its contact a known member, and the event
 * of a date has an ID that follows from contact, automation and date.
 */
export async function sweepTriggers(
  { em }: { em: EntityManager },
  { now = new Date() }: { now?: Date } = {},
): Promise<void> {
  const sweep = (automation: SweptAutomation) => {
    const at = new Date(now.getTime() + automation.clockAheadMinutes * 60_000)
    return automation.trigger === 'DATE'
      ? sweepDates(em.fork(), automation, at)
      : sweepSegment(em.fork(), automation, at)
  }
  await runEach(await sweptAutomations(em.fork()), sweep, 'Could not sweep the triggers of automations')
}

async function sweepSegment(em: EntityManager, automation: SweptAutomation, at: Date): Promise<void> {
  const { id, workspaceId, triggerKey } = automation
  const members = { id, workspaceId, at }
  const condition = await resolveSegments(em, workspaceId, { segment: triggerKey })
  for (let size = pageSizes.segmentMembers; size === pageSizes.segmentMembers;) {
    const left = await findLeftMembers(em, members, condition, pageSizes.segmentMembers)
    await removeMembers(em, id, left)
    size = left.length
  }
  for (let size = pageSizes.sweep; size === pageSizes.sweep && !(await areTooManyWaiting(em, workspaceId));) {
    const found = await findNewMembers(em, members, condition, { afterId: null, limit: pageSizes.sweep })
    size = found.length
    const isCurrent = await start(em, automation, async (unit) =>
      (await addMembers(unit, id, await lockExisting(unit, found))).map((contactId) => ({
        contactId,
        type: 'SEGMENT_ENTERED',
        key: triggerKey,
      })),
    )
    if (!isCurrent) return
  }
}

async function sweepDates(em: EntityManager, automation: SweptAutomation, to: Date): Promise<void> {
  const { id, workspaceId, triggerKey, triggerConfig, startedUntil, clockAheadMinutes } = automation
  const trigger = dateTriggerOf(triggerConfig)
  if (!trigger || startedUntil === null || startedUntil >= to) return
  // All dates that a moved test clock has passed are due.
  const earliest = clockAheadMinutes > 0 ? 0 : to.getTime() - MAX_CATCH_UP_MS
  const interval = { from: new Date(Math.max(startedUntil.getTime(), earliest)), to }
  const wanted = {
    key: metadataKeyOf(trigger),
    dates: possibleDates(trigger, interval),
    isYearly: trigger.isYearly,
    limit: pageSizes.sweep,
  }
  for (let afterId: string | null = null; ;) {
    // The next sweep begins with the same interval.
    if (await areTooManyWaiting(em, workspaceId)) return
    const page = await findDated(em, workspaceId, { ...wanted, afterId })
    const reached = page.flatMap((contact) => {
      // After a downtime, a date may have been reached before it was written.
      const from = new Date(Math.max(interval.from.getTime(), contact.writtenAt.getTime()))
      const day = occurrenceIn(trigger, contact, { from, to })
      return day === undefined ? [] : [{ contactId: contact.id, day }]
    })
    const dayOf = new Map(reached.map(({ contactId, day }) => [contactId, day]))
    const isCurrent = await start(em, automation, async (unit) =>
      (await lockExisting(unit, [...dayOf.keys()])).map((contactId) => ({
        id: occurrenceId(id, contactId, dayOf.get(contactId)!),
        contactId,
        type: 'DATE',
        key: triggerKey,
      })),
    )
    if (!isCurrent) return
    if (page.length < pageSizes.sweep) break
    afterId = page.at(-1)!.id
  }
  await advanceStartedUntil(em, automation, to)
}

/**
 * Writes events and their starts. Returns whether the automation is still the one that was read.
 *
 * Race: the automation is paused, or activated again with other settings, during a sweep. Guard: the page locks the automation,
 * and starts nothing if it has changed. Test: test/automations/swept-triggers.test.ts.
 */
async function start(
  em: EntityManager,
  { id, workspaceId, triggerKey, startedUntil }: SweptAutomation,
  occur: (unit: EntityManager) => Promise<TriggerOccurrence[]>,
): Promise<boolean> {
  return em.transactional(async (unit) => {
    const now = await lockSwept(unit, id)
    if (now?.triggerKey !== triggerKey || now.startedUntil?.getTime() !== startedUntil?.getTime()) return false
    const cause = { workspaceId, requestId: null, isBulk: true }
    await recordTriggerOccurrences(unit, cause, await occur(unit), { ...NOBODY_LISTENS, active: () => [id] })
    return true
  })
}

/** Returns the ID of the event of a date: the same for each attempt to start it (RFC 9562, section 5.8). */
function occurrenceId(automationId: string, contactId: string, day: string): string {
  const bytes = createHash('sha256').update(`${automationId} ${contactId} ${day}`).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return idOfBytes(bytes)
}
