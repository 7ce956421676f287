// cspell:ignore metdata
import { ApiError } from '../platform/api-error.ts'
import { ok, operation, pageQuery, single } from '../http/index.ts'
import { conditionOf, SEGMENT_NOT_FOUND } from '../segments/index.ts'
import { checkSegmentContact, countMatching } from './check-segment.ts'
import { contactPage, listContactPage } from './contact-page.ts'
import { CONTACT_PARAM } from './contact-param.ts'
import { CONTACT_NOT_FOUND } from './errors.ts'
import { checkedContactResponse, contactCountResponse } from './responses.ts'
import { countSchema } from './schemas.ts'

/** The operations on segments that concern their contacts. */
export const segmentContactOperations = [
  operation({
    id: 'listSegmentMembers',
    method: 'GET',
    path: '/segments/{id}/contacts',
    tag: 'Segments',
    summary: 'List the contacts in a segment',
    description: 'Newest contact first. The same as GET /contacts with segmentId.',
    scope: 'contacts:read',
    query: pageQuery(),
    // The response can be several megabytes.
    responses: { 200: contactPage },
    errors: { 404: [SEGMENT_NOT_FOUND] },
    handle: ({ caller, params, query }, { em }) =>
      listContactPage(em, caller.workspace.id, { segmentId: params.id }, query),
  }),

  operation({
    id: 'checkSegmentContact',
    method: 'GET',
    path: '/segments/{id}/contacts/{contactId}',
    params: { contactId: CONTACT_PARAM },
    tag: 'Segments',
    summary: 'Check whether a contact is in a segment',
    description: 'Returns whether the contact matches now, and which parts of the condition decide that.',
    scope: 'contacts:read',
    responses: { 200: { description: 'The result.', schema: single(checkedContactResponse) } },
    errors: { 404: [SEGMENT_NOT_FOUND, CONTACT_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      const parts = await checkSegmentContact(em, caller.workspace.id, params)
      if (!parts) throw new ApiError(CONTACT_NOT_FOUND)
      return ok({ contactId: params.contactId, matches: parts[0]!.matches, parts })
    },
  }),

  operation({
    id: 'countSegment',
    method: 'POST',
    path: '/segments/count',
    tag: 'Segments',
    summary: 'Count the contacts that match a condition',
    description:
      'Counts the contacts that match now, without saving the condition. Useful while you edit a segment. With `withSubscription`, ' +
      'also counts how many of them get marketing.',
    scope: 'segments:read',
    changesNothing: true,
    // The count is a live query.
    body: countSchema,
    responses: { 200: { description: 'The count.', schema: single(contactCountResponse) } },
    errors: { 400: ['condition.all[0].metdata is unknown; did you mean metadata?'] },
    async handle({ caller, body: { condition, withSubscription = false } }, { em }) {
      return ok(await countMatching(em, caller.workspace.id, conditionOf(condition), withSubscription))
    },
  }),
]
