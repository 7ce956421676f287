import { array } from 'yup'
import { getSegment, listSegments } from './segments.ts'
import { listAnswer, listOf, operation, pageQuery, rangeOf, single } from '../http/index.ts'
import { presentSegment, segmentDetailShape, segmentShape } from './shapes.ts'
import { answerContacts, contactPage, SEGMENT_NOT_FOUND } from '../contacts/index.ts'

export const segmentOperations = [
  operation({
    id: 'listSegments',
    method: 'GET',
    path: '/segments',
    tag: 'Segments',
    summary: 'List the segments',
    description: 'Newest first.',
    scope: 'segments:read',
    query: pageQuery(),
    answers: {
      200: {
        description: 'A page of segments.',
        schema: listOf(array().of(segmentShape).required()),
      },
    },
    async handle({ caller, query }, { em }) {
      const [segments, total] = await listSegments(em, caller.workspace.id, rangeOf(query))
      return listAnswer(segments.map(presentSegment), query, total)
    },
  }),

  operation({
    id: 'getSegment',
    method: 'GET',
    path: '/segments/{id}',
    tag: 'Segments',
    summary: 'Get a segment',
    description: 'With the number of contacts for whom its condition is true at the moment.',
    scope: 'segments:read',
    // It is counted live.
    bulk: true,
    answers: { 200: { description: 'The segment.', schema: single(segmentDetailShape) } },
    refusals: { 404: [SEGMENT_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      const { segment, contactCount } = await getSegment(em, caller.workspace.id, params.id)
      return { status: 200, body: { data: { ...presentSegment(segment), contactCount } } }
    },
  }),

  operation({
    id: 'listSegmentMembers',
    method: 'GET',
    path: '/segments/{id}/contacts',
    tag: 'Segments',
    summary: 'List the contacts in a segment',
    description: 'Newest contact first. The same as GET /contacts with segmentId.',
    scope: 'contacts:read',
    query: pageQuery(),
    // It can be megabytes.
    bulk: true,
    answers: { 200: contactPage },
    refusals: { 404: [SEGMENT_NOT_FOUND] },
    handle: ({ caller, params, query }, { em }) =>
      answerContacts(em, caller.workspace.id, { segmentId: params.id }, query),
  }),
]
