import { countContacts, isAskedBy } from './queries.ts'
import { SEGMENT_IN_USE, SEGMENT_NOT_FOUND } from './errors.ts'
import { type Condition, readCondition } from './condition.ts'
import { Segment } from './entities.ts'
import { Workspace } from '../workspaces/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Range } from '../platform/db/range.ts'
import { invalid, notFound, ApiError } from '../platform/api-error.ts'
import { isId, newId } from '../platform/ids.ts'
import { unitOf } from '../platform/db/sql.ts'

/** A page of a workspace's segments, newest first, and how many there are. */
export const listSegments = async (
  em: EntityManager,
  workspaceId: string,
  range: Range,
): Promise<[Segment[], number]> => {
  if (!isId(workspaceId)) throw notFound(`There is no workspace ${workspaceId}`)
  return em.fork().findAndCount(Segment, { workspaceId }, { ...range, orderBy: { createdAt: 'desc', id: 'desc' } })
}

/** A segment, and how many contacts are in it at this moment. @throws {ApiError} `not-found` */
export async function getSegment(
  em: EntityManager,
  workspaceId: string,
  id: string,
): Promise<{ segment: Segment; contactCount: number }> {
  const fork = em.fork()
  const segment = isId(id) ? await fork.findOne(Segment, { id, workspaceId }) : null
  if (!segment) throw new ApiError(SEGMENT_NOT_FOUND)
  return { segment, contactCount: await countContacts(fork, workspaceId, segment.condition) }
}

/** For how many contacts a condition is true at this moment. @throws {ApiError} `invalid` as `createSegment` */
export const countForCondition = (em: EntityManager, workspaceId: string, json: unknown): Promise<number> =>
  countContacts(em.fork(), workspaceId, conditionOf(json))

/** Saves a condition as a segment. @throws {ApiError} `invalid`, saying where the condition is wrong; `not-found` */
export async function createSegment(
  em: EntityManager,
  { workspaceId, name, condition: json }: { workspaceId: string; name: string; condition: unknown },
  id = newId(),
): Promise<Segment> {
  const condition = conditionOf(json)
  const unit = unitOf(em)
  await assertWorkspace(unit, workspaceId)
  const segment = unit.create(Segment, { id, workspaceId, name, condition })
  await unit.flush()
  return segment
}

/** Changes a segment; what is absent stays as it is. @throws {ApiError} `not-found`; `invalid` as `createSegment` */
export async function updateSegment(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { name, condition }: { name?: string | undefined; condition?: unknown },
): Promise<Segment> {
  const unit = unitOf(em)
  const segment = isId(id) ? await unit.findOne(Segment, { id, workspaceId }) : null
  if (!segment) throw new ApiError(SEGMENT_NOT_FOUND)
  if (name !== undefined) segment.name = name
  if (condition !== undefined) segment.condition = conditionOf(condition)
  segment.updatedAt = new Date()
  await unit.flush()
  return segment
}

/**
 * Deletes a segment; its contacts stay. @param workspaceId whose it has to be, if anybody's @returns whose it was
 * @throws {ApiError} `not-found`; `segment_in_use` while a campaign that is to begin, or to go through contacts, asks it
 */
export async function deleteSegment(em: EntityManager, id: string, workspaceId?: string): Promise<string> {
  const whose = workspaceId === undefined ? {} : { workspaceId }
  const unit = unitOf(em)
  const segment = isId(id) ? await unit.findOne(Segment, { id, ...whose }) : null
  if (segment && (await isAskedBy(unit, segment.id))) throw new ApiError(SEGMENT_IN_USE)
  if (segment && (await unit.nativeDelete(Segment, { id, ...whose })) > 0) return segment.workspaceId
  throw workspaceId === undefined ? notFound(`There is no segment ${id}`) : new ApiError(SEGMENT_NOT_FOUND)
}

function conditionOf(json: unknown): Condition {
  const read = readCondition(json)
  if ('problem' in read) throw invalid(read.problem, '/condition')
  return read.condition
}

/** @throws {ApiError} `not-found` where there is no such workspace: an operator may have mistyped its id. */
export async function assertWorkspace(em: EntityManager, workspaceId: string): Promise<void> {
  if (!isId(workspaceId) || (await em.count(Workspace, { id: workspaceId })) === 0) {
    throw notFound(`There is no workspace ${workspaceId}`)
  }
}
