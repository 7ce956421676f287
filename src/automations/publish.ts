import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import type { Revisions } from '../platform/revisions.ts'
import { type AutomationChange, type AutomationDetail, replaceSteps, updateAutomation } from './automations.ts'
import type { StepInput } from './steps/index.ts'
import { endDraft, findDraft } from './drafts.ts'

export interface Publication extends AutomationChange {
  steps?: readonly StepInput[] | undefined
  /** The draft's that this is: it is gone then. Without one a draft that is there stays. */
  draftRevision?: number | undefined
}

/**
 * Has an automation be what somebody has edited: its steps, its fields and its status in one transaction, and the draft gone with it.
 *
 * @throws {ApiError} `automation_not_found`; `automation_never_acts`; `revision_conflict` where the automation or the draft is another
 *   one than was read
 */
export const publishAutomation = (
  em: EntityManager,
  workspaceId: string,
  id: string,
  { steps, draftRevision, ...change }: Publication,
  expected: Revisions,
): Promise<AutomationDetail> =>
  unitOf(em).transactional(async (unit) => {
    if (steps !== undefined) await replaceSteps(unit, workspaceId, id, steps, expected)
    // What was expected is behind the first of the two.
    const published = await updateAutomation(unit, workspaceId, id, change, steps === undefined ? expected : undefined)
    if (draftRevision !== undefined) await endDraft(unit, await findDraft(unit, id), [String(draftRevision)])
    return published
  })
