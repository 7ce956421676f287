import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import type { Revisions } from '../platform/revisions.ts'
import { type AutomationChange, type AutomationDetail, replaceSteps, updateAutomation } from './automations.ts'
import type { StepInput } from './steps/index.ts'
import { deletePublishedDraft, findDraft } from './drafts.ts'

export interface Publication extends AutomationChange {
  steps?: readonly StepInput[] | undefined
  /** The revision of the draft that this publishes and deletes. Without it, any draft stays. */
  draftRevision?: number | undefined
}

/**
 * Publishes steps, fields and status of an automation in one transaction, and deletes the draft.
 *
 * @throws {ApiError} `automation_not_found`; `automation_never_acts`; `revision_conflict` if the automation or the draft was
 * changed since it was read
 */
export const publishAutomation = (
  em: EntityManager,
  workspaceId: string,
  id: string,
  { steps, draftRevision, ...change }: Publication,
  expected: Revisions,
): Promise<AutomationDetail> =>
  unitOf(em).transactional(async (unit) => {
    if (steps !== undefined) await replaceSteps(unit, workspaceId, id, steps, expected, change)
    // The first of the two updates has checked the expected revision, and set the rules together with the IDs of the steps.
    const published = await (steps === undefined
      ? updateAutomation(unit, workspaceId, id, change, expected)
      : updateAutomation(unit, workspaceId, id, { ...change, entry: undefined, exitOn: undefined, goal: undefined }))
    if (draftRevision !== undefined)
      await deletePublishedDraft(unit, await findDraft(unit, id), [String(draftRevision)])
    return published
  })
