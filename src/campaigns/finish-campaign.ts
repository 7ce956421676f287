import type { EntityManager } from '../platform/db/orm.ts'
import { hasOpen, lockMaterialized, markSent } from './queries.ts'

/** Marks a campaign as sent if nothing is left to send. @returns whether it did */
export function finishCampaign(em: EntityManager, id: string): Promise<boolean> {
  return em.transactional(async (unit) => {
    if (!(await lockMaterialized(unit, id)) || (await hasOpen(unit, id))) return false
    await markSent(unit, id)
    return true
  })
}
