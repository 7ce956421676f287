import { array } from 'yup'
import { CONTACT_NOT_FOUND, contactParams } from '../contacts/routes.ts'
import { listAnswer, listOf, pageQuery, rangeOf } from '../http/fields.ts'
import { operation } from '../http/operation.ts'
import { listActivity } from './activity.ts'
import { messageShape, presentMessage } from './shapes.ts'

export const messageOperations = [
  operation({
    id: 'listActivity',
    method: 'GET',
    path: '/contacts/{id}/activity',
    tag: 'Contacts',
    summary: "List a contact's messages",
    description:
      'What it was sent, newest first, with content and outcome. Of long ones a page has the first contents.',
    scope: 'contacts:read',
    params: contactParams,
    query: pageQuery(),
    answers: { 200: { description: 'A page of messages.', schema: listOf(array().of(messageShape).required()) } },
    refusals: { 404: CONTACT_NOT_FOUND },
    async handle({ caller, params, query }, { em }) {
      const [messages, total] = await listActivity(em, caller.workspace.id, params['id']!, rangeOf(query))
      return listAnswer(messages.map(presentMessage), query, total)
    },
  }),
]
