import { firstStop, type Stop, stopAfter, stopAt } from '../automation-engine/index.ts'
import { versionSteps } from '../automations/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { inTransaction } from '../platform/db/sql.ts'
import { lastInVersion } from './moved-to.ts'
import { type ActivePosition, activePositions, writePositions } from './position-queries.ts'

const PAGE = 500

/**
 * Computes again where the active enrollments are and when they continue, from the results of their steps: after a restore, or to
 * check what `advanceEnrollment` recorded.
 */
export async function recountPositions(em: EntityManager): Promise<void> {
  for (let afterId: string | null = null; ;) {
    const page: ActivePosition[] = await inTransaction(em, async (unit) => {
      const active = await activePositions(unit, afterId, PAGE)
      const positions = []
      for (const enrollment of active) positions.push({ id: enrollment.id, ...(await positionOf(unit, enrollment)) })
      await writePositions(unit, positions)
      return active
    })
    if (page.length < PAGE) return
    afterId = page.at(-1)!.id
  }
}

async function positionOf(
  em: EntityManager,
  { automationId, version, enrolledAt, movedTo, passed, waiting }: ActivePosition,
): Promise<Stop> {
  const steps = await versionSteps(em, automationId, version)
  const last = lastInVersion(steps, movedTo, passed)
  const began = () => (movedTo ? stopAt(steps, { ...movedTo, at: new Date(movedTo.at) }) : firstStop(steps, enrolledAt))
  const stop = last ? stopAfter(steps, last) : began()
  const until = waiting.find(({ stepId }) => stepId === stop.stepId)?.until
  return until ? { ...stop, at: until } : stop
}
