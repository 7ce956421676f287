import { array } from 'yup'
import { CONTACT, CONTACT_NOT_FOUND } from '../contacts/index.ts'
import { listAnswer, listOf, operation, pageQuery, rangeOf } from '../http/index.ts'
import { listActivity } from './activity.ts'
import { messageShape, presentMessage } from './shapes.ts'

export const messageOperations = [
  operation({
    id: 'listActivity',
    method: 'GET',
    path: '/contacts/{id}/activity',
    params: { id: CONTACT },
    tag: 'Contacts',
    summary: "List a contact's messages",
    description:
      'What it was sent, newest first, with content and outcome. Of long ones a page has the first contents.',
    scope: 'contacts:read',
    query: pageQuery(),
    // It can be megabytes.
    bulk: true,
    answers: { 200: { description: 'A page of messages.', schema: listOf(array().of(messageShape).required()) } },
    refusals: { 404: [CONTACT_NOT_FOUND] },
    async handle({ caller, params, query }, { em }) {
      const [messages, total] = await listActivity(em, caller.workspace.id, params.id, rangeOf(query))
      return listAnswer(messages.map(presentMessage), query, total)
    },
  }),
]
