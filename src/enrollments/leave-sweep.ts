import { enqueueForRelay } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { pageSizes } from '../platform/page-sizes.ts'
import { runEach } from '../platform/run-each.ts'
import { resolveAllSegments } from '../segments/index.ts'
import { timeIn } from '../workspaces/index.ts'
import { conditionRules } from './leave-rules.ts'
import { endEnrollmentByRule } from './leave.ts'
import { lockEnrollments } from './step-queries.ts'
import { enrollmentsToLeave, versionsWithConditions, type VersionWithConditions } from './leave-queries.ts'

/**
 * Ends the enrollments for which a condition of their goal or exit rules is true now. Such a condition can become true by any
 * change, and by time alone. It is also checked before each step, so a contact who left gets no further email. An automation that
 * fails does not keep others from ending.
 */
export async function leaveByConditions({ em }: { em: EntityManager }): Promise<void> {
  const leave = async (version: VersionWithConditions) => {
    while ((await leavePage(em.fork(), version)) === pageSizes.leaving);
  }
  await runEach(await versionsWithConditions(em.fork()), leave, 'Could not end the enrollments of automations')
}

/** @returns the number of enrollments that were found */
async function leavePage(em: EntityManager, version: VersionWithConditions): Promise<number> {
  const { workspaceId, automationId } = version
  const rules = conditionRules(version)
  const conditions = await resolveAllSegments(
    em,
    workspaceId,
    rules.map(({ condition }) => condition!),
  )
  const at = await timeIn(em, workspaceId)
  const found = await enrollmentsToLeave(em, version, conditions, { at, limit: pageSizes.leaving })
  await em.transactional(async (unit) => {
    await lockEnrollments(
      unit,
      found.map(({ id }) => id),
    )
    const left = []
    for (const { id: enrollmentId, contactId, concurrencyKey, rule } of found) {
      if (await endEnrollmentByRule(unit, enrollmentId, rules[rule]!))
        left.push({ kind: 'LEAVE' as const, workspaceId, automationId, contactId, concurrencyKey, enrollmentId })
    }
    await enqueueForRelay(unit, left)
  })
  return found.length
}
