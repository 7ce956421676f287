import type { Caller } from '../http/index.ts'
import { assertAutomation, type AutomationDetail, type Publication, publishAutomation } from '../automations/index.ts'
import { countOutdated } from '../enrollments/index.ts'
import { enqueue } from '../outbox/index.ts'
import { ApiError } from '../platform/api-error.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import type { Revisions } from '../platform/revisions.ts'
import { nameOf } from '../workspaces/index.ts'
import type { AutomationMove, Inside, RemovedSteps } from './entities.ts'
import { MOVE_NOT_FOUND } from './errors.ts'
import { findMove, writeMove, writeResume, writeStop } from './queries.ts'

export interface ChosenPublication extends Publication {
  inside?: Inside | undefined
  removedSteps?: RemovedSteps | undefined
}

/** A move, and how many enrollments are still in older versions. */
export interface MoveProgress {
  move: AutomationMove
  remaining: number
}

/**
 * Publishes an automation, and moves or ends the enrollments that are in older versions, as chosen. A move replaces one that has not
 * finished. Keeping them does not stop it.
 *
 * @throws {ApiError} see `publishAutomation`
 */
export const publishWithChoice = (
  em: EntityManager,
  caller: Caller,
  id: string,
  { inside = 'KEEP', removedSteps = 'CONTINUE', ...publication }: ChosenPublication,
  expected: Revisions,
): Promise<AutomationDetail> =>
  unitOf(em).transactional(async (unit) => {
    const published = await publishAutomation(unit, caller.workspace.id, id, publication, expected)
    if (inside === 'KEEP') return published
    const { id: automationId, workspaceId, version } = published.automation
    const total = await countOutdated(unit, { automationId, version })
    const startedBy = nameOf(caller)
    await writeMove(unit, { automationId, workspaceId, version, inside, removedSteps, total, startedBy })
    await enqueue(unit, { kind: 'MOVE', automationId })
    return published
  })

/** @throws {ApiError} `automation_not_found`; `move_not_found` */
export async function getMove(em: EntityManager, workspaceId: string, automationId: string): Promise<MoveProgress> {
  await assertAutomation(em, workspaceId, automationId)
  const move = await findMove(em, automationId)
  if (!move) throw new ApiError(MOVE_NOT_FOUND)
  const remaining = move.finishedAt === null ? await countOutdated(em, move) : 0
  return { move, remaining }
}

/**
 * Stops a move. After the commit, no further enrollment moves. After a finished move, enrollments that are recorded late stay in their
 * version.
 *
 * @throws {ApiError} see `getMove`
 */
export const stopMove = (em: EntityManager, workspaceId: string, automationId: string): Promise<MoveProgress> =>
  unitOf(em).transactional(async (unit) => {
    await assertAutomation(unit, workspaceId, automationId)
    await writeStop(unit, automationId)
    return getMove(unit, workspaceId, automationId)
  })

/** Resumes a stopped move. @throws {ApiError} see `getMove` */
export const resumeMove = (em: EntityManager, workspaceId: string, automationId: string): Promise<MoveProgress> =>
  unitOf(em).transactional(async (unit) => {
    await assertAutomation(unit, workspaceId, automationId)
    if (await writeResume(unit, automationId)) await enqueue(unit, { kind: 'MOVE', automationId })
    return getMove(unit, workspaceId, automationId)
  })
