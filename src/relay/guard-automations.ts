import { listActiveAutomations, pauseForReputation } from '../automations/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { judgeReputation, outcomesOf, toleratedRates } from '../reputation/index.ts'
import { recentCounts } from '../stats/index.ts'

/**
 * Pauses the automations whose rates of complaints, hard bounces or blocked emails are too high. Campaigns check theirs while they
 * send.
 */
export async function guardAutomations({ em, log }: Dependencies): Promise<void> {
  const active = await listActiveAutomations(em)
  const counts = await recentCounts(
    em.fork(),
    active.map(({ id }) => id),
  )
  for (const automation of active) {
    const { id, workspaceId, toleratedRates: before } = automation
    const findings = judgeReputation(outcomesOf(counts.get(id) ?? {}), before)
    const [worst] = findings
    if (!worst?.isTooHigh) continue
    const pause = { reason: worst.text, toleratedRates: toleratedRates(findings, before) }
    if (await pauseForReputation(em.fork(), automation, pause))
      log.warn({ automationId: id, workspaceId, rule: worst.rule }, `Automation paused: ${worst.text}`)
  }
}
