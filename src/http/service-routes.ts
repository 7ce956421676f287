import { type InferType, object, string } from 'yup'
import { operation } from './operation.ts'
import { ApiError } from '../platform/api-error.ts'
import { KEYS_ONLY } from './errors.ts'
import { serviceResponse, whoamiResponse } from './responses.ts'
import { single, ok } from './fields.ts'

export const whoami = operation({
  id: 'whoami',
  method: 'GET',
  path: '/whoami',
  tag: 'Service',
  summary: 'Verify a key',
  description: 'Returns the workspace of this key, its scopes, and the remaining requests of its rate limit.',
  scope: null,
  responses: { 200: { description: 'The key is valid.', schema: single(whoamiResponse) } },
  errors: { 403: [KEYS_ONLY] },
  handle({ caller: { workspace, by, scopes, rateLimit } }) {
    if (by.kind !== 'key') throw new ApiError(KEYS_ONLY)
    const { apiKey } = by
    return ok({
      workspace: { id: workspace.id, name: workspace.name, mode: workspace.mode },
      apiKey: {
        id: apiKey.id,
        name: apiKey.name,
        prefix: apiKey.prefix,
        expiresAt: apiKey.expiresAt?.toISOString() ?? null,
      },
      scopes,
      rateLimit: {
        limit: rateLimit.limit,
        remaining: rateLimit.remaining,
        resetAt: rateLimit.resetAt.toISOString(),
      },
    })
  },
})

/** @param document returns the document, which includes this operation */
export const openApiDocument = (document: () => object) =>
  operation({
    id: 'getOpenApi',
    method: 'GET',
    path: '/openapi.json',
    tag: 'Service',
    summary: 'Get the OpenAPI document',
    description: 'Returns the OpenAPI 3.1 document of this version of the API. The page at /docs shows it.',
    scope: null,
    responses: {
      200: {
        description: 'The document.',
        schema: object({ openapi: string().required().meta({ example: '3.1.1' }) }),
      },
    },
    handle: () => ({ status: 200, body: document() }),
  })

export const getService = operation({
  id: 'getService',
  method: 'GET',
  path: '/service',
  tag: 'Settings',
  summary: 'Get the service status',
  description:
    'Returns the state of Postgres, Temporal and its workers, and the mail server, as seen by this process in the last ten seconds.',
  role: 'viewer',
  responses: { 200: { description: 'The service status.', schema: single(serviceResponse) } },
  async handle(_request, { lookAtService }) {
    const data: InferType<typeof serviceResponse> = await lookAtService()
    return ok(data)
  },
})
