import { type InferType, number, object, string } from 'yup'
import { count, id, nullableText, timestamp } from '../http/index.ts'
import { type ListedRequest, MAX_COUNTED } from './queries.ts'

export const loggedRequestResponse = object({
  id: id('entry'),
  keyId: id('API key'),
  method: string().required().meta({ example: 'POST' }),
  path: nullableText(
    'The path of the operation; null if the request reached none: the path is unknown, or the rate limit was exceeded.',
    '/contacts/{id}',
  ),
  status: number().integer().required().meta({ description: 'The HTTP status of the response.', example: 400 }),
  errorCode: nullableText('The X-Error-Code of the response.', 'invalid_request'),
  errorParam: nullableText('The X-Error-Param of the response, if it names only fields.', '/email'),
  durationMs: count('Milliseconds until the response was ready.', 12),
  requestId: string().required().meta({ description: 'The X-Request-Id of the response.', example: '9cafba1c' }),
  createdAt: timestamp('When the request was answered.'),
})
  .required()
  .meta({ component: 'LoggedRequest', description: 'A request of an API key.' })

export const presentRequest = (request: ListedRequest): InferType<typeof loggedRequestResponse> => ({
  id: request.id,
  keyId: request.keyId,
  method: request.method,
  path: request.path,
  status: request.status,
  errorCode: request.errorCode,
  errorParam: request.errorParam,
  durationMs: request.durationMs,
  requestId: request.requestId,
  createdAt: request.createdAt.toISOString(),
})

export const requestCountResponse = object({
  count: count(`Requests in the last 24 hours. Stops at ${MAX_COUNTED.toLocaleString('en-US')}.`, 1_204),
}).required()
