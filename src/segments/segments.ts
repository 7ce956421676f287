import { countContacts, isSegmentInUse } from './queries.ts'
import { SEGMENT_IN_USE, SEGMENT_NOT_FOUND } from './errors.ts'
import { type Condition, readCondition } from './condition.ts'
import { Segment } from './entities.ts'
import { Workspace } from '../workspaces/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Range } from '../platform/db/range.ts'
import { invalid, notFound, ApiError } from '../platform/api-error.ts'
import { isId, newId } from '../platform/ids.ts'
import { unitOf } from '../platform/db/sql.ts'

/** A page of a workspace's segments, newest first, and their total. */
export const listSegments = async (
  em: EntityManager,
  workspaceId: string,
  range: Range,
): Promise<[Segment[], number]> => {
  if (!isId(workspaceId)) throw notFound(`There is no workspace ${workspaceId}`)
  return em.fork().findAndCount(Segment, { workspaceId }, { ...range, orderBy: { createdAt: 'desc', id: 'desc' } })
}

/** A segment and its current number of contacts. @throws {ApiError} `not-found` */
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

/** Counts the contacts that match a condition now. @throws {ApiError} `invalid` as `createSegment` */
export const countForCondition = (em: EntityManager, workspaceId: string, json: unknown): Promise<number> =>
  countContacts(em.fork(), workspaceId, conditionOf(json))

/** Saves a condition as a segment. @throws {ApiError} `invalid`, naming the wrong part of the condition; `not-found` */
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

/** Updates a segment. Absent fields stay unchanged. @throws {ApiError} `not-found`; `invalid` as `createSegment` */
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
 * Deletes a segment. Its contacts stay.
 *
 * @param workspaceId the workspace that it must belong to, if given
 * @returns the ID of its workspace
 * @throws {ApiError} `not-found`; `segment_in_use` while it is in the audience of a campaign that has not started or is
 * collecting its recipients
 */
export async function deleteSegment(em: EntityManager, id: string, workspaceId?: string): Promise<string> {
  const inWorkspace = workspaceId === undefined ? {} : { workspaceId }
  const unit = unitOf(em)
  const segment = isId(id) ? await unit.findOne(Segment, { id, ...inWorkspace }) : null
  if (segment && (await isSegmentInUse(unit, segment.id))) throw new ApiError(SEGMENT_IN_USE)
  if (segment && (await unit.nativeDelete(Segment, { id, ...inWorkspace })) > 0) return segment.workspaceId
  throw workspaceId === undefined ? notFound(`There is no segment ${id}`) : new ApiError(SEGMENT_NOT_FOUND)
}

function conditionOf(json: unknown): Condition {
  const read = readCondition(json)
  if ('problem' in read) throw invalid(read.problem, '/condition')
  return read.condition
}

/** @throws {ApiError} `not-found` if there is no such workspace: an operator may have mistyped its ID. */
export async function assertWorkspace(em: EntityManager, workspaceId: string): Promise<void> {
  if (!isId(workspaceId) || (await em.count(Workspace, { id: workspaceId })) === 0) {
    throw notFound(`There is no workspace ${workspaceId}`)
  }
}
