import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { ApiError } from '../platform/api-error.ts'
import { assertUnchanged, type Revisions } from '../platform/revisions.ts'
import { findAutomation, lockAutomation } from './automations.ts'
import { AutomationDraft } from './entities.ts'
import { nextDraftRevision } from './queries.ts'
import { DRAFT_NOT_FOUND } from './errors.ts'

/** The revision of a draft that does not exist. A client that starts a draft expects it, and gets a conflict if there is one. */
const NONE = 0

export interface DraftInput {
  /** The editor's data, which is not validated. */
  content: Record<string, unknown>
  /** The revision of the automation that the draft is based on. */
  basedOn: number
  /** The name of the editor, which is shown to the next one. */
  savedBy: string
}

export interface FoundDraft {
  draft: AutomationDraft
  /** The revision of the automation. */
  revision: number
}

/** @throws {ApiError} `automation_not_found`; `draft_not_found` */
export async function getDraft(em: EntityManager, workspaceId: string, id: string): Promise<FoundDraft> {
  const unit = unitOf(em)
  const { revision } = await findAutomation(unit, workspaceId, id)
  const draft = await findDraft(unit, id)
  if (!draft) throw new ApiError(DRAFT_NOT_FOUND)
  return { draft, revision }
}

/** Saves a draft. @throws {ApiError} `automation_not_found`; `revision_conflict` if another draft was saved since it was read */
export function saveDraft(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { content, basedOn, savedBy }: DraftInput,
  expected: Revisions,
): Promise<FoundDraft> {
  return unitOf(em).transactional(async (unit) => {
    const { draft: before, revision } = await lockDraft(unit, workspaceId, id)
    assertUnchanged(expected, before?.revision ?? NONE)
    const saved = {
      content,
      basedOn: newestBase(before, basedOn, expected),
      begunWith: basedOn,
      savedBy,
      revision: await nextDraftRevision(unit),
    }
    const draft = before ?? unit.create(AutomationDraft, { automationId: id, ...saved })
    if (before) Object.assign(before, { ...saved, savedAt: new Date() })
    await unit.flush()
    return { draft, revision }
  })
}

/**
 * Returns the base of a draft that is being saved. If only the status of the automation changed, the base of the stored draft has
 * moved, and a client that continues this draft may not know yet: the newer base is kept. A client that specifies an older base
 * than the last save overwrites a draft without having seen what it was based on, so its own base applies.
 */
function newestBase(stored: AutomationDraft | null, basedOn: number, expected: Revisions): number {
  if (!stored) return basedOn
  const hasReadIt = expected?.includes(String(stored.revision)) ?? false
  const continuesIt = hasReadIt && basedOn >= stored.begunWith
  return continuesIt ? Math.max(stored.basedOn, basedOn) : basedOn
}

/** @throws {ApiError} `automation_not_found`; `draft_not_found`; `revision_conflict` */
export function discardDraft(em: EntityManager, workspaceId: string, id: string, expected: Revisions): Promise<void> {
  return unitOf(em).transactional(async (unit) => {
    const { draft } = await lockDraft(unit, workspaceId, id)
    if (!draft) throw new ApiError(DRAFT_NOT_FOUND)
    await deletePublishedDraft(unit, draft, expected)
  })
}

/** Deletes the draft of a locked automation, if it is the revision that was read. @throws {ApiError} `revision_conflict` */
export async function deletePublishedDraft(
  unit: EntityManager,
  draft: AutomationDraft | null,
  expected: Revisions,
): Promise<void> {
  assertUnchanged(expected, draft?.revision ?? NONE)
  if (draft) unit.remove(draft)
  await unit.flush()
}

export const findDraft = (unit: EntityManager, automationId: string): Promise<AutomationDraft | null> =>
  unit.findOne(AutomationDraft, { automationId })

/** Locks the row of the automation, because the draft may not exist. */
async function lockDraft(unit: EntityManager, workspaceId: string, id: string) {
  const { revision } = await lockAutomation(unit, workspaceId, id, undefined)
  return { draft: await findDraft(unit, id), revision }
}
