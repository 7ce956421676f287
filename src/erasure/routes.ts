import { CONTACT_NOT_FOUND, contactParams } from '../contacts/routes.ts'
import { single } from '../http/fields.ts'
import { operation } from '../http/operation.ts'
import { deleted, deleteResultShape } from '../http/shapes.ts'
import { eraseContact } from './erase-contact.ts'

export const erasureOperations = [
  operation({
    id: 'eraseContact',
    method: 'DELETE',
    path: '/contacts/{id}',
    tag: 'Contacts',
    summary: 'Erase a contact',
    description:
      'For good, in one transaction: the contact, its messages with their content, its enrollments, events, tags and ' +
      'memberships. It receives no further email from the moment of the answer on.',
    scope: 'contacts:write',
    params: contactParams,
    answers: {
      200: {
        description: 'The contact is erased.',
        schema: single(deleteResultShape),
        links: { getContact: { id: '$response.body#/data/id' } },
      },
    },
    refusals: { 404: CONTACT_NOT_FOUND },
    async handle({ caller, params }, dependencies) {
      await eraseContact(dependencies, caller.workspace.id, params['id']!)
      return deleted(params['id']!)
    },
  }),
]
