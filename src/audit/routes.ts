import { string } from 'yup'
import { cursorAnswer, cursorListOf, cursorQuery, operation, readCursor } from '../http/index.ts'
import { ACTORS } from './entities.ts'
import { entriesOf } from './queries.ts'
import { auditEntryResponse, presentAuditEntry } from './responses.ts'

const auditQuery = cursorQuery({
  actor: string().oneOf(ACTORS).meta({ description: 'Only what was done by these.', example: 'person' }),
})

/** Operations on the audit log. */
export const auditOperations = [
  operation({
    id: 'listAuditEntries',
    method: 'GET',
    path: '/audit',
    tag: 'Settings',
    summary: 'List who has changed what',
    description:
      'By people, keys and the command line, newest first: what was done, to what, and in which request. What people did is kept ' +
      'for 400 days, what keys did for 30. What is not in Postgres alone, such as an enrollment, is told of when it is asked for.',
    role: 'owner',
    query: auditQuery,
    responses: { 200: { description: 'A page of changes.', schema: cursorListOf(auditEntryResponse) } },
    async handle({ caller, query }, { em }) {
      const { actor, cursor, limit } = query
      const page = await entriesOf(em.fork(), caller.workspace.id, {
        actors: actor === undefined ? ACTORS : [actor],
        behind: readCursor(cursor),
        limit: limit + 1,
      })
      return cursorAnswer(page, limit, presentAuditEntry)
    },
  }),
]
