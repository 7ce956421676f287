import { CONTACT_PARAM } from './contact-param.ts'
import { CONTACT_NOT_FOUND } from './errors.ts'
import type { Erasure } from './erasure.ts'
import { deleted, deleteResultResponse, operation, single } from '../http/index.ts'
import { eraseContact } from './erase-contact.ts'

export const erasureOperations = (erasure: Erasure) => [
  operation({
    id: 'eraseContact',
    method: 'DELETE',
    path: '/contacts/{id}',
    params: { id: CONTACT_PARAM },
    tag: 'Contacts',
    summary: 'Erase a contact',
    description:
      'Permanently deletes the contact, its messages with their content, and its enrollments, events, tags and ' +
      'memberships, in one transaction. After the response, the contact receives no further email. If the contact was emailed, a hash ' +
      'of the address stays, so that unsubscribe links in earlier emails still work.',
    scope: 'contacts:write',
    transactional: false,
    audit: 'by-handler',
    responses: {
      200: {
        description: 'The contact is erased.',
        schema: single(deleteResultResponse),
        links: { getContact: { id: '$response.body#/data/id' } },
      },
    },
    errors: { 404: [CONTACT_NOT_FOUND] },
    async handle({ caller, params, call }, dependencies) {
      await eraseContact(dependencies, erasure, caller.workspace.id, params.id, call)
      return deleted(params.id)
    },
  }),
]
