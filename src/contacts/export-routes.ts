import { CONTACT_PARAM } from './contact-param.ts'
import { CONTACT_NOT_FOUND } from './errors.ts'
import { withoutLinks } from '../signed-links/index.ts'
import { freeObject, operation, single } from '../http/index.ts'
import { isId } from '../platform/ids.ts'
import { ApiError } from '../platform/api-error.ts'
import { contactChunks } from './export-contact.ts'
import { readContactHead } from './export-queries.ts'

export const exportOperations = [
  operation({
    id: 'exportContact',
    method: 'GET',
    path: '/contacts/{id}/export',
    params: { id: CONTACT_PARAM },
    tag: 'Contacts',
    summary: 'Export a contact',
    description:
      'All data of a contact, for access requests (Regulation (EU) 2016/679, article 15): fields, tags, lists, lists the contact ' +
      'left, suppressions, events, enrollments, messages and bounces. The content of automation emails is in the activity of the ' +
      'contact.',
    scope: 'contacts:read',
    responses: {
      200: {
        description: 'The data of the contact.',
        schema: single(
          freeObject()
            .required()
            .meta({
              description: 'See docs/contacts.md.',
              example: { email: 'ada@example.com', tags: [], messages: [] },
            }),
        ),
      },
    },
    errors: { 404: [CONTACT_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      const { id } = params
      const head = isId(id) ? await readContactHead(em.fork(), caller.workspace.id, id) : undefined
      if (!head) throw new ApiError(CONTACT_NOT_FOUND)
      return {
        status: 200,
        body: dataOf(contactChunks(em.fork(), id, head), (piece) => withoutLinks(piece, id)),
        contactId: id,
      }
    },
  }),
]

async function* dataOf(pieces: AsyncIterable<string>, withoutLinks: (piece: string) => string): AsyncGenerator<string> {
  yield '{"data":'
  // Each chunk has whole items, so no link is split between two.
  for await (const piece of pieces) yield withoutLinks(piece)
  yield '}'
}
