import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { ApiError } from '../platform/api-error.ts'
import { assertUnchanged, type Revisions } from '../platform/revisions.ts'
import { findAutomation, lockAutomation } from './automations.ts'
import { AutomationDraft } from './entities.ts'
import { nextDraftRevision } from './queries.ts'
import { DRAFT_NOT_FOUND } from './errors.ts'

/** The revision of a draft that is not there: whoever begins one says so, and is told where somebody else has. */
const NONE = 0

export interface DraftInput {
  /** Whatever the editor keeps: it is not checked. */
  content: Record<string, unknown>
  /** The automation's revision that it began with. */
  basedOn: number
  /** Who saves it, for whoever comes next. */
  savedBy: string
}

export interface FoundDraft {
  draft: AutomationDraft
  /** The automation's. */
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

/**
 * Keeps what somebody has edited so far. @throws {ApiError} `automation_not_found`; `revision_conflict` where it is another one than
 * was read
 */
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
    // Where only the status was changed since, the draft has gone along with it, and whoever has it open may not know yet. Whoever
    // began with less than was said last has kept theirs over another one, and has not seen what that was begun with.
    const goesAlong = before && expected?.includes(String(before.revision)) && basedOn >= before.begunWith
    const newest = goesAlong ? Math.max(before.basedOn, basedOn) : basedOn
    const saved = { content, basedOn: newest, begunWith: basedOn, savedBy, revision: await nextDraftRevision(unit) }
    const draft = before ?? unit.create(AutomationDraft, { automationId: id, ...saved })
    if (before) Object.assign(before, { ...saved, savedAt: new Date() })
    await unit.flush()
    return { draft, revision }
  })
}

/** @throws {ApiError} `automation_not_found`; `draft_not_found`; `revision_conflict` */
export function discardDraft(em: EntityManager, workspaceId: string, id: string, expected: Revisions): Promise<void> {
  return unitOf(em).transactional(async (unit) => {
    const { draft } = await lockDraft(unit, workspaceId, id)
    if (!draft) throw new ApiError(DRAFT_NOT_FOUND)
    await endDraft(unit, draft, expected)
  })
}

/** Ends the draft of an automation that is locked, where it is the one that was read. @throws {ApiError} `revision_conflict` */
export async function endDraft(unit: EntityManager, draft: AutomationDraft | null, expected: Revisions): Promise<void> {
  assertUnchanged(expected, draft?.revision ?? NONE)
  if (draft) unit.remove(draft)
  await unit.flush()
}

export const findDraft = (unit: EntityManager, automationId: string): Promise<AutomationDraft | null> =>
  unit.findOne(AutomationDraft, { automationId })

/** The automation's row is locked, because the draft's may not be there. */
async function lockDraft(unit: EntityManager, workspaceId: string, id: string) {
  const { revision } = await lockAutomation(unit, workspaceId, id, undefined)
  return { draft: await findDraft(unit, id), revision }
}
