// cspell:ignore metdata
import { array } from 'yup'
import { createSegment, deleteSegment, getSegment, listSegments, updateSegment } from './segments.ts'
import { ApiError } from '../platform/api-error.ts'
import { SEGMENT_IN_USE, SEGMENT_NOT_FOUND } from './errors.ts'
import {
  deleted,
  deleteResultResponse,
  pageResponse,
  listOf,
  nothingToUpdate,
  operation,
  pageQuery,
  presentForWriter,
  rangeOf,
  single,
  writeOnlyNote,
  ok,
  created,
} from '../http/index.ts'
import { segmentSchema, updateSegmentSchema } from './schemas.ts'
import {
  listedSegmentResponse,
  presentSegment,
  segmentDetailResponse,
  segmentResponse,
  writtenSegmentResponse,
} from './responses.ts'
import { usesOf } from './uses-queries.ts'

const NOTHING_TO_UPDATE = nothingToUpdate(Object.keys(updateSegmentSchema.fields))
const WRONG_CONDITION = 'condition.all[0].metdata is unknown; did you mean metadata?'

const segmentLinks = { getSegment: { id: '$response.body#/data/id' }, deleteSegment: { id: '$response.body#/data/id' } }

export const segmentOperations = [
  operation({
    id: 'listSegments',
    method: 'GET',
    path: '/segments',
    tag: 'Segments',
    summary: 'List segments',
    description: 'Newest first, with what uses them.',
    scope: 'segments:read',
    query: pageQuery(),
    // The response can be several megabytes.
    responses: {
      200: {
        description: 'A page of segments.',
        schema: listOf(array().of(listedSegmentResponse).required()),
      },
    },
    async handle({ caller, query }, { em }) {
      const [segments, total] = await listSegments(em, caller.workspace.id, rangeOf(query))
      const ids = segments.map(({ id }) => id)
      const uses = await usesOf(em.fork(), caller.workspace.id, ids)
      const rows = segments.map((segment) => ({ ...presentSegment(segment), usedIn: uses.get(segment.id)! }))
      return pageResponse(rows, query, total)
    },
  }),

  operation({
    id: 'getSegment',
    method: 'GET',
    path: '/segments/{id}',
    tag: 'Segments',
    summary: 'Get a segment',
    description: 'Returns the segment with the number of contacts that match it now, and what uses it.',
    scope: 'segments:read',
    // The count is a live query.
    responses: { 200: { description: 'The segment.', schema: single(segmentDetailResponse) } },
    errors: { 404: [SEGMENT_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      const { segment, contactCount, usedIn } = await getSegment(em, caller.workspace.id, params.id)
      return ok({ ...presentSegment(segment), contactCount, usedIn })
    },
  }),

  operation({
    id: 'createSegment',
    method: 'POST',
    path: '/segments',
    tag: 'Segments',
    summary: 'Create a segment',
    description: 'Saves a condition. The contacts that match it at a given moment are in the segment.',
    scope: 'segments:write',
    body: segmentSchema,
    responses: { 201: { description: 'The segment.', schema: single(segmentResponse), links: segmentLinks } },
    errors: { 400: ['name is required', WRONG_CONDITION] },
    async handle({ caller, body, call }, { em }) {
      const segment = await createSegment(em, { workspaceId: caller.workspace.id, ...body }, call.id)
      return created(presentSegment(segment))
    },
  }),

  operation({
    id: 'updateSegment',
    method: 'PATCH',
    path: '/segments/{id}',
    tag: 'Segments',
    summary: 'Update a segment',
    description: `Changes the given fields. ${writeOnlyNote('segments:read')}`,
    scope: 'segments:write',
    body: updateSegmentSchema,
    responses: { 200: { description: 'The segment.', schema: single(writtenSegmentResponse), links: segmentLinks } },
    errors: { 400: [NOTHING_TO_UPDATE, WRONG_CONDITION], 404: [SEGMENT_NOT_FOUND] },
    async handle({ caller, params, body }, { em }) {
      if (Object.keys(body).length === 0) throw new ApiError(NOTHING_TO_UPDATE)
      const segment = presentSegment(await updateSegment(em, caller.workspace.id, params.id, body))
      return ok(presentForWriter(caller, 'segments:read', segment, body))
    },
  }),

  operation({
    id: 'deleteSegment',
    method: 'DELETE',
    path: '/segments/{id}',
    tag: 'Segments',
    summary: 'Delete a segment',
    description: 'Deletes the segment permanently. Its contacts stay.',
    scope: 'segments:write',
    responses: { 200: { description: 'The segment was deleted.', schema: single(deleteResultResponse) } },
    errors: { 404: [SEGMENT_NOT_FOUND], 409: [SEGMENT_IN_USE] },
    async handle({ caller, params }, { em }) {
      await deleteSegment(em, params.id, caller.workspace.id)
      return deleted(params.id)
    },
  }),
]
