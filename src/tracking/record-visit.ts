import { lockVisitedMessage } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { attributeToBurst, clicksBefore, isRecorded, updateVisits, upsertVisit, type Visit } from './queries.ts'
import { isBurst, isByMachine, visitorOf } from './visitor.ts'

/** Records a visit. Does nothing if the message was deleted. */
export async function recordVisit(em: EntityManager, visit: Visit): Promise<void> {
  if (await isRecorded(em, visit)) return
  await em.transactional(async (unit) => {
    // Without the lock, two concurrent visits of one email could miss each other, and a burst with them.
    const message = await lockVisitedMessage(unit, visit)
    if (!message) return
    const stored = await upsertVisit(unit, message.id, visit, visitorOf(visit, message))
    if (visit.kind === 'OPEN' && isByMachine(stored.visitor) && !isByMachine(stored.was))
      await updateVisits(unit, [message.id])
    if (stored.visitor !== 'UNDECIDED' && stored.visitor !== 'PERSON') return
    const clicks = await clicksBefore(unit, message.id, stored.lastAt)
    if (isBurst(clicks, message)) await attributeToBurst(unit, message.id, stored.lastAt)
  })
}
