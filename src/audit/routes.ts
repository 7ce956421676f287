import { string } from 'yup'
import { cursorPage, cursorListOf, cursorQuery, givenId, operation, readCursor } from '../http/index.ts'
import { isId } from '../platform/ids.ts'
import { ACTORS } from './entities.ts'
import { entriesOf } from './queries.ts'
import { auditEntryResponse, presentAuditEntry } from './responses.ts'

const auditQuery = cursorQuery({
  targetId: givenId('Only the changes of the object with this ID.'),
  actor: string().oneOf(ACTORS).meta({ description: 'Only changes by this kind of actor.', example: 'person' }),
})

/** Operations on the audit log. */
export const auditOperations = [
  operation({
    id: 'listAuditEntries',
    method: 'GET',
    path: '/audit',
    tag: 'Settings',
    summary: 'List audit entries',
    description:
      'Changes by people, API keys and the CLI, newest first. Changes by people and the CLI are kept for 400 days, changes by keys ' +
      'for 30. A change that also takes effect outside Postgres, such as an enrollment, is logged when it is requested.',
    scope: 'audit:read',
    role: 'owner',
    query: auditQuery,
    responses: { 200: { description: 'A page of changes.', schema: cursorListOf(auditEntryResponse) } },
    async handle({ caller, query }, { em }) {
      const { actor, targetId, cursor, limit } = query
      // No object has an ID of another form.
      if (targetId !== undefined && !isId(targetId)) return cursorPage([], limit, presentAuditEntry)
      const page = await entriesOf(em.fork(), caller.workspace.id, {
        actors: actor === undefined ? ACTORS : [actor],
        targetId,
        behind: readCursor(cursor),
        limit: limit + 1,
      })
      return cursorPage(page, limit, presentAuditEntry)
    },
  }),
]
