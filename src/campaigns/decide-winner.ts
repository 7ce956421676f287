import type { EntityManager } from '../platform/db/orm.ts'
import { releaseRecipients } from '../messages/index.ts'
import { pickWinner, type WinnerBy } from './ab-test.ts'
import { hasDeferred, lockDecision, setDecisionTime, setWinner, variantResults } from './ab-test-queries.ts'

/**
 * When it is decided which variant the remaining recipients get: some time after the others were sent. A deferred recipient of the
 * test is not waited for, unless nobody got the email yet.
 *
 * @returns `undefined` where the campaign is not sending, or that is not known yet
 */
export function decisionTime(em: EntityManager, id: string): Promise<Date | undefined> {
  return em.transactional(async (unit) => {
    const decision = await lockDecision(unit, id)
    if (!decision) return undefined
    if (decision.decidesAt) return decision.decidesAt
    const isWaiting = (await variantResults(unit, id)).length === 0 && (await hasDeferred(unit, id))
    return isWaiting ? undefined : setDecisionTime(unit, id)
  })
}

/** Recipients that are released at once. */
const RELEASED_AT_ONCE = 5_000

/**
 * Decides the winner, unless it is decided, and gives it to some of the recipients that wait for it. May be repeated, by anyone.
 * @returns whether any were released
 */
export function releaseRest(em: EntityManager, id: string, winnerBy: WinnerBy): Promise<boolean> {
  return em.transactional(async (unit) => {
    const decision = await lockDecision(unit, id)
    if (!decision?.isDue) return false
    let { winner } = decision
    if (winner === null) {
      winner = pickWinner(await variantResults(unit, id), winnerBy)
      await setWinner(unit, id, winner)
    }
    return (await releaseRecipients(unit, id, winner, RELEASED_AT_ONCE)) > 0
  })
}
