import { pageSizes } from '../platform/page-sizes.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { releaseRecipients } from '../messages/index.ts'
import { pickWinner, type WinnerBy } from './ab-test.ts'
import { hasDeferred, lockDecision, setDecisionTime, setWinner, variantResults } from './ab-test-queries.ts'

/**
 * Returns when the winning variant is decided: `afterMinutes` after the test emails were sent. Deferred recipients of the test do
 * not delay it, unless no recipient got the email yet.
 *
 * @returns `undefined` if the campaign is not sending, or the time is not known yet
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

/**
 * Decides the winner unless it is already decided, and releases some of the recipients that wait for it. Safe to repeat and to
 * run concurrently.
 * @returns whether any were released
 */
export function releaseRemainingRecipients(em: EntityManager, id: string, winnerBy: WinnerBy): Promise<boolean> {
  return em.transactional(async (unit) => {
    const decision = await lockDecision(unit, id)
    if (!decision?.isDue) return false
    let { winner } = decision
    if (winner === null) {
      winner = pickWinner(await variantResults(unit, id), winnerBy)
      await setWinner(unit, id, winner)
    }
    return (await releaseRecipients(unit, id, winner, pageSizes.released)) > 0
  })
}
