import { CONTACT, CONTACT_NOT_FOUND } from '../contacts/index.ts'
import { freeObject, operation, single } from '../http/index.ts'
import { isId } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import { contactDocument } from './queries.ts'

export const exportOperations = [
  operation({
    id: 'exportContact',
    method: 'GET',
    path: '/contacts/{id}/export',
    params: { id: CONTACT },
    tag: 'Contacts',
    summary: 'Export a contact',
    description:
      'All that is kept of somebody, who may ask for it (Regulation (EU) 2016/679, article 15): what she is, her tags, lists and those she ' +
      'has left, suppressions, events, enrollments, messages and bounces. What the emails said is in her activity.',
    scope: 'contacts:read',
    bulk: true,
    answers: {
      200: {
        description: 'All of it.',
        schema: single(
          freeObject()
            .required()
            .meta({
              description: 'See docs/export.md.',
              example: { email: 'ada@example.com', tags: [], messages: [] },
            }),
        ),
      },
    },
    refusals: { 404: [CONTACT_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      const document = isId(params.id) ? await contactDocument(em.fork(), caller.workspace.id, params.id) : undefined
      if (!document) throw new Refusal(CONTACT_NOT_FOUND)
      return { status: 200, body: { data: document }, contactId: params.id }
    },
  }),
]
