import type { Log } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { judgeReputation, outcomesOf, toleratedRates } from '../reputation/index.ts'
import { countsOfCampaigns } from './counts-queries.ts'
import type { Campaign } from './entities.ts'
import { pauseAutomatically } from './queries.ts'

/**
 * Pauses a campaign whose rates of complaints, hard bounces or blocked emails are too high. It continues when a member resumes it.
 * @returns whether it was paused
 */
export async function pauseForReputation(
  { log }: { log: Log },
  em: EntityManager,
  { id, workspaceId, revision, toleratedRates: before }: Campaign,
): Promise<boolean> {
  const counts = (await countsOfCampaigns(em, [id])).get(id) ?? {}
  const findings = judgeReputation(outcomesOf(counts), before)
  const [worst] = findings
  if (!worst?.isTooHigh) return false
  const isPaused = await pauseAutomatically(em, id, worst.text, {
    // It may have been resumed in the meantime.
    seen: revision,
    toleratedRates: toleratedRates(findings, before),
  })
  if (isPaused) log.warn({ campaignId: id, workspaceId, rule: worst.rule }, `Campaign paused: ${worst.text}`)
  return isPaused
}
