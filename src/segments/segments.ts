import { countContacts, isSegmentInUse } from './queries.ts'
import { type SegmentUse, usesOf } from './uses-queries.ts'
import { SEGMENT_IN_USE, SEGMENT_NOT_FOUND } from './errors.ts'
import type { Condition } from './condition.ts'
import { readCondition } from './read-condition.ts'
import { resolveSegments } from './resolve-segments.ts'
import { findSegmentProblem } from './check-segments.ts'
import { Segment } from './entities.ts'
import { timeIn, Workspace } from '../workspaces/index.ts'
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

/** Returns a segment, as an entity of the unit of work. @throws {ApiError} `not-found` */
export async function findSegment(unit: EntityManager, workspaceId: string, id: string): Promise<Segment> {
  const segment = isId(id) ? await unit.findOne(Segment, { id, workspaceId }) : null
  if (!segment) throw new ApiError(SEGMENT_NOT_FOUND)
  return segment
}

/** A segment, its current number of contacts, and what uses it. @throws {ApiError} `not-found` */
export async function getSegment(
  em: EntityManager,
  workspaceId: string,
  id: string,
): Promise<{ segment: Segment; contactCount: number; usedIn: SegmentUse[] }> {
  const fork = em.fork()
  const segment = await findSegment(fork, workspaceId, id)
  const uses = await usesOf(fork, workspaceId, [segment.id])
  return { segment, contactCount: await countNow(fork, workspaceId, segment.condition), usedIn: uses.get(segment.id)! }
}

/** Counts the contacts that match a condition now. */
export const countNow = async (em: EntityManager, workspaceId: string, condition: Condition): Promise<number> =>
  countContacts(em, await resolveSegments(em, workspaceId, condition), {
    workspaceId,
    at: await timeIn(em, workspaceId),
  })

/** Saves a condition as a segment. @throws {ApiError} `invalid`, naming the wrong part of the condition; `not-found` */
export async function createSegment(
  em: EntityManager,
  { workspaceId, name, condition: json }: { workspaceId: string; name: string; condition: unknown },
  id = newId(),
): Promise<Segment> {
  const unit = unitOf(em)
  await assertWorkspace(unit, workspaceId)
  const condition = await conditionToSave(unit, workspaceId, json)
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
  const segment = await findSegment(unit, workspaceId, id)
  if (name !== undefined) segment.name = name
  if (condition !== undefined) segment.condition = await conditionToSave(unit, workspaceId, condition, segment.id)
  segment.updatedAt = new Date()
  await unit.flush()
  return segment
}

/**
 * Deletes a segment. Its contacts stay.
 *
 * @param workspaceId the workspace that it must belong to, if given
 * @returns the ID of its workspace
 * @throws {ApiError} `not-found`; `segment_in_use` while another segment refers to it, or it is in the audience of a
 * campaign that has not started or is collecting its recipients
 */
export async function deleteSegment(em: EntityManager, id: string, workspaceId?: string): Promise<string> {
  const inWorkspace = workspaceId === undefined ? {} : { workspaceId }
  const unit = unitOf(em)
  const segment = isId(id) ? await unit.findOne(Segment, { id, ...inWorkspace }) : null
  if (segment && (await isSegmentInUse(unit, segment.id))) throw new ApiError(SEGMENT_IN_USE)
  if (segment && (await unit.nativeDelete(Segment, { id, ...inWorkspace })) > 0) return segment.workspaceId
  throw workspaceId === undefined ? notFound(`There is no segment ${id}`) : new ApiError(SEGMENT_NOT_FOUND)
}

/** Reads a condition. @throws {ApiError} `invalid`, naming the wrong part of the condition */
export function conditionOf(json: unknown): Condition {
  const read = readCondition(json)
  if ('problem' in read) throw invalid(read.problem, '/condition')
  return read.condition
}

async function conditionToSave(
  em: EntityManager,
  workspaceId: string,
  json: unknown,
  segmentId?: string,
): Promise<Condition> {
  const condition = conditionOf(json)
  const problem = await findSegmentProblem(em, workspaceId, condition, segmentId === undefined ? {} : { segmentId })
  if (problem !== undefined) throw invalid(problem, '/condition')
  return condition
}

/** @throws {ApiError} `not-found` if there is no such workspace: an operator may have mistyped its ID. */
export async function assertWorkspace(em: EntityManager, workspaceId: string): Promise<void> {
  if (!isId(workspaceId) || (await em.count(Workspace, { id: workspaceId })) === 0) {
    throw notFound(`There is no workspace ${workspaceId}`)
  }
}
