import { notifyOwners } from '../accounts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import type { ToleratedRates } from '../reputation/index.ts'
import { lockAutomation } from './automations.ts'
import { Automation, AutomationDraft } from './entities.ts'
import { endSweeps } from './trigger-sweep.ts'

/** The fields by which an automation is judged. */
const JUDGED_FIELDS = ['id', 'workspaceId', 'revision', 'toleratedRates'] as const
export type JudgedAutomation = Pick<Automation, (typeof JUDGED_FIELDS)[number]>

/** Lists the automations that send, of all workspaces. */
export const listActiveAutomations = (em: EntityManager): Promise<JudgedAutomation[]> =>
  em.fork().find(Automation, { status: 'ACTIVE' }, { ...FRESH_READ, fields: JUDGED_FIELDS })

/**
 * Pauses an automation because of its reputation, and tells the owners of the workspace. It continues when a member sets it ACTIVE again.
 * @param seen the automation as it was judged @returns whether it was paused
 */
export async function pauseForReputation(
  em: EntityManager,
  seen: JudgedAutomation,
  { reason, toleratedRates }: { reason: string; toleratedRates: ToleratedRates },
): Promise<boolean> {
  return unitOf(em).transactional(async (unit) => {
    const automation = await lockAutomation(unit, seen.workspaceId, seen.id, undefined)
    if (automation.status !== 'ACTIVE' || automation.revision !== seen.revision) return false
    const { id, revision, version } = automation
    Object.assign(automation, { status: 'PAUSED', activeVersion: version, pauseReason: reason, toleratedRates })
    automation.revision += 1
    // As when a member pauses it: the draft contains no status, so it does not become stale.
    await unit.nativeUpdate(AutomationDraft, { automationId: id, basedOn: revision }, { basedOn: revision + 1 })
    await endSweeps(unit, automation)
    await unit.flush()
    await notifyOwners(unit, [{ workspaceId: seen.workspaceId, automationId: id }])
    return true
  })
}
