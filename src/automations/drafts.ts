import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { isId } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import { assertUnchanged, type Revisions } from '../platform/revisions.ts'
import { Automation, AutomationDraft } from './entities.ts'
import { nextDraftRevision } from './queries.ts'
import { AUTOMATION_NOT_FOUND, DRAFT_NOT_FOUND } from './refusals.ts'

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

/** @throws {Refusal} `automation_not_found`; `draft_not_found` */
export async function getDraft(em: EntityManager, workspaceId: string, id: string): Promise<FoundDraft> {
  const unit = unitOf(em)
  const { revision } = await findAutomation(unit, workspaceId, id)
  const draft = await unit.findOne(AutomationDraft, { automationId: id })
  if (!draft) throw new Refusal(DRAFT_NOT_FOUND)
  return { draft, revision }
}

/**
 * Keeps what somebody has edited so far. @throws {Refusal} `automation_not_found`; `changed_meanwhile` where it is another one than
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
    const saved = { content, basedOn, savedBy, revision: await nextDraftRevision(unit) }
    const draft = before ?? unit.create(AutomationDraft, { automationId: id, ...saved })
    if (before) Object.assign(before, { ...saved, savedAt: new Date() })
    await unit.flush()
    return { draft, revision }
  })
}

/** @throws {Refusal} `automation_not_found`; `draft_not_found`; `changed_meanwhile` */
export function discardDraft(em: EntityManager, workspaceId: string, id: string, expected: Revisions): Promise<void> {
  return unitOf(em).transactional(async (unit) => {
    const { draft } = await lockDraft(unit, workspaceId, id)
    if (!draft) throw new Refusal(DRAFT_NOT_FOUND)
    assertUnchanged(expected, draft.revision)
    unit.remove(draft)
    await unit.flush()
  })
}

/** The automation's row is locked, because the draft's may not be there. */
async function lockDraft(unit: EntityManager, workspaceId: string, id: string) {
  const { revision } = await findAutomation(unit, workspaceId, id, { lockMode: LockMode.PESSIMISTIC_WRITE })
  return { draft: await unit.findOne(AutomationDraft, { automationId: id }), revision }
}

async function findAutomation(unit: EntityManager, workspaceId: string, id: string, options = {}): Promise<Automation> {
  const automation = isId(id) ? await unit.findOne(Automation, { id, workspaceId }, options) : null
  if (!automation) throw new Refusal(AUTOMATION_NOT_FOUND)
  return automation
}
