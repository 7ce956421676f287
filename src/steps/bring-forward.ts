import * as enrollments from '../enrollments/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { endRunWaits } from './queries.ts'

/** Records that the wait of an enrollment ends earlier. @param waiting.stepId the step that waits */
export const bringForward = (
  em: EntityManager,
  waiting: { enrollmentId: string; stepId: string; until: Date },
): Promise<void> =>
  em.transactional(async (unit) => {
    await enrollments.bringForward(unit, waiting)
    await endRunWaits(unit, [waiting.enrollmentId], waiting.until)
  })
