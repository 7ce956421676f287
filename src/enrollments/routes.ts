import { AUTOMATION_NOT_ACTIVE } from '../automations/index.ts'
import { CONTACT_NOT_FOUND, CONTACT_LIMITS } from '../contacts/index.ts'
import { operation, single } from '../http/index.ts'
import { enrollContact } from './enroll-contact.ts'
import { enrollSchema } from './schemas.ts'
import { enrollmentResultShape } from './shapes.ts'

export const enrollmentOperations = [
  operation({
    id: 'enrollContact',
    method: 'POST',
    path: '/automations/{id}/enroll',
    tag: 'Automations',
    summary: 'Enroll a contact',
    description:
      'The contact enters at the first step at once, whatever the trigger says. A contact who is in the automation ' +
      'already is not enrolled again, and nothing is sent twice.',
    scope: 'automations:write',
    transactional: false,
    body: enrollSchema,
    answers: {
      202: {
        description: 'The contact is enrolled, or was already.',
        schema: single(enrollmentResultShape),
        links: { listActivity: { id: '$response.body#/data/contactId' } },
      },
    },
    refusals: {
      400: ['contactId is required', 'merge must be a JSON object', CONTACT_LIMITS.contacts_metadata_size],
      404: [AUTOMATION_NOT_ACTIVE, CONTACT_NOT_FOUND],
    },
    async handle({ caller, params, body, call }, dependencies) {
      const result = await enrollContact(dependencies, caller.workspace.id, params.id, body, call)
      const { automationId, contactId, enrolled, enrolledAt } = result
      const matchingAutomations = enrolled ? 1 : 0
      const data = { automationId, contactId, enrolled, matchingAutomations, enrolledAt: enrolledAt.toISOString() }
      return { status: 202, body: { data }, contactId }
    },
  }),
]
