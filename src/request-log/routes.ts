import { object, string } from 'yup'
import { cursorListOf, cursorPage, cursorQuery, givenId, ok, operation, readCursor, single } from '../http/index.ts'
import { isId } from '../platform/ids.ts'
import { countRequests, requestsOf, RETENTION_DAYS, STATUS_CLASSES } from './queries.ts'
import { loggedRequestResponse, presentRequest, requestCountResponse } from './responses.ts'

const requestsQuery = cursorQuery({
  keyId: givenId('Only requests of this API key.'),
  status: string().oneOf(STATUS_CLASSES).meta({ description: 'Only responses of this class.', example: '4xx' }),
  requestId: string().max(128).meta({ description: 'Only requests with this X-Request-Id.', example: '9cafba1c' }),
})

const countQuery = object({ keyId: givenId('The API key.').required() })

/** Operations on the request log. */
export const requestLogOperations = [
  operation({
    id: 'listRequests',
    method: 'GET',
    path: '/request-log',
    tag: 'Settings',
    summary: 'List requests',
    description:
      `Requests of API keys in the last ${RETENTION_DAYS} days, newest first, about a second after their responses. Contains no bodies, ` +
      'paths or queries. Of the requests beyond a rate limit, only some are listed.',
    role: 'owner',
    query: requestsQuery,
    responses: { 200: { description: 'A page of requests.', schema: cursorListOf(loggedRequestResponse) } },
    async handle({ caller, query }, { em }) {
      const { cursor, limit, ...filters } = query
      const cannotExist = filters.keyId !== undefined && !isId(filters.keyId)
      const page = cannotExist
        ? []
        : await requestsOf(em.fork(), caller.workspace.id, { ...filters, behind: readCursor(cursor), limit: limit + 1 })
      return cursorPage(page, limit, presentRequest)
    },
  }),

  operation({
    id: 'countRequests',
    method: 'GET',
    path: '/request-log/count',
    tag: 'Settings',
    summary: 'Count the requests of an API key',
    description: 'Counts the requests of the last 24 hours.',
    role: 'owner',
    query: countQuery,
    responses: { 200: { description: 'The count.', schema: single(requestCountResponse) } },
    async handle({ caller, query: { keyId } }, { em }) {
      return ok({ count: isId(keyId) ? await countRequests(em.fork(), caller.workspace.id, keyId) : 0 })
    },
  }),
]
