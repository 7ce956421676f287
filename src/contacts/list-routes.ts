import { deleted, deleteResultResponse, operation, single, ok } from '../http/index.ts'
import {
  CONFIRMATION_LIMIT_REACHED,
  CONTACT_LEFT_LIST,
  LIST_IN_USE,
  LIST_NOT_FOUND,
  NOT_IN_LIST,
} from '../lists/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { TOO_MANY_STARTS } from '../triggers/index.ts'
import { addToList } from './add-to-list.ts'
import { CONTACT_LIMITS } from './contact-limits.ts'
import { listContactPage, contactPage } from './contact-page.ts'
import { CONTACT_PARAM, resolveContactId } from './contact-param.ts'
import { deleteList } from './delete-list.ts'
import { CONTACT_NOT_FOUND } from './errors.ts'
import { removeFromList } from './remove-from-list.ts'
import { joinSchema, membersQuery } from './schemas.ts'
import { joinResultResponse } from './responses.ts'

/** The operations on lists that concern their contacts. */
export const listContactOperations = [
  operation({
    id: 'deleteList',
    method: 'DELETE',
    path: '/lists/{id}',
    tag: 'Lists',
    summary: 'Delete a list',
    description:
      'Deletes the list permanently. Its contacts stay, and enrollments that it started continue. A list that triggers an ACTIVE ' +
      'automation cannot be deleted.',
    scope: 'lists:write',
    transactional: false,
    audit: 'by-handler',
    responses: { 200: { description: 'The list was deleted.', schema: single(deleteResultResponse) } },
    errors: { 404: [LIST_NOT_FOUND], 409: [LIST_IN_USE] },
    async handle({ caller, params, call }, { em }) {
      await deleteList(em, caller.workspace.id, params.id, call)
      return deleted(params.id)
    },
  }),

  operation({
    id: 'listMembers',
    method: 'GET',
    path: '/lists/{id}/contacts',
    tag: 'Lists',
    summary: 'List the contacts in a list',
    description:
      'Newest contact first, like GET /contacts with listId. With status=pending, the contacts who have not confirmed that they want ' +
      'to join.',
    scope: 'contacts:read',
    query: membersQuery,
    responses: { 200: contactPage },
    errors: { 404: [LIST_NOT_FOUND] },
    handle: ({ caller, params, query }, { em }) =>
      listContactPage(em, caller.workspace.id, { listId: params.id, isPending: query.status === 'pending' }, query),
  }),

  operation({
    id: 'addToList',
    method: 'POST',
    path: '/lists/{id}/contacts',
    tag: 'Lists',
    summary: 'Add contacts to a list',
    description:
      'Adds one contact, or up to 1,000. Joining the list starts the automations that it triggers. ' +
      'If the list has doubleOptIn, contacts join once they confirm by email. ' +
      'Returns 404 for a single contact that does not exist. One of several fails without affecting the others.',
    scope: 'lists:write',
    body: joinSchema,
    responses: {
      200: {
        description: 'The result.',
        schema: single(joinResultResponse),
        links: { listMembers: { id: '$response.body#/data/listId' } },
      },
    },
    errors: {
      400: [
        'Send either contactId or contactIds',
        'contactIds array must not exceed 1000 items',
        CONTACT_LIMITS.list_members_most,
        TOO_MANY_STARTS,
      ],
      404: [LIST_NOT_FOUND, CONTACT_NOT_FOUND],
      409: [CONTACT_LEFT_LIST],
    },
    async handle({ caller, params, body, call }, dependencies) {
      const contactIds = body.contactIds ?? [await resolveContactId(dependencies.em, caller, body.contactId!)]
      const joined = await addToList(dependencies, caller.workspace.id, params.id, contactIds, call, {
        resubscribe: body.resubscribe ?? false,
        confirmed: body.confirmed ?? false,
      })
      const { added, alreadyIn, pending, errors } = joined
      // The daily limit of confirmation emails is reported in the response, not as an error of the request.
      if (body.contactId !== undefined && errors[0] && errors[0].error !== CONFIRMATION_LIMIT_REACHED) {
        const hasLeft = errors[0].error === CONTACT_LEFT_LIST.message
        throw new ApiError(hasLeft ? CONTACT_LEFT_LIST : CONTACT_NOT_FOUND, { param: '/contactId' })
      }
      const data = { listId: params.id, added, alreadyIn, pending, failed: errors.length, errors }
      return ok(data)
    },
  }),

  operation({
    id: 'removeFromList',
    method: 'DELETE',
    path: '/lists/{id}/contacts/{contactId}',
    params: { contactId: CONTACT_PARAM },
    tag: 'Lists',
    summary: 'Remove a contact from a list',
    description: 'Also removes a pending confirmation. Enrollments that joining the list started continue.',
    scope: 'lists:write',
    responses: { 200: { description: "The contact's ID.", schema: single(deleteResultResponse) } },
    errors: { 404: [LIST_NOT_FOUND, NOT_IN_LIST] },
    async handle({ caller, params }, { em }) {
      await removeFromList(em, caller.workspace.id, params.id, params.contactId)
      return deleted(params.contactId)
    },
  }),
]
