import { array } from 'yup'
import { deleted, deleteResultResponse, operation, single, ok, created } from '../http/index.ts'
import { createApiKey, deleteApiKey, listApiKeys, rotateApiKey } from './create-api-key.ts'
import { renameWorkspace } from './create-workspace.ts'
import { countRecentRequests } from './queries.ts'
import { API_KEY_NOT_FOUND } from './errors.ts'
import { apiKeyResponse, newApiKeyResponse, presentApiKey, presentWorkspace, workspaceResponse } from './responses.ts'
import { apiKeyInput, rotationInput, workspaceInput } from './schemas.ts'

const SHOWN_ONCE = 'Only this response contains the key. Dripline stores its hash.'

/** Operations on the API keys of a workspace. */
export const apiKeyOperations = [
  operation({
    id: 'listApiKeys',
    method: 'GET',
    path: '/api-keys',
    tag: 'Settings',
    summary: 'List API keys',
    description: 'Oldest first, with the visible prefix and the recent requests of each key.',
    role: 'owner',
    responses: { 200: { description: 'The keys.', schema: single(array().of(apiKeyResponse).required()) } },
    async handle({ caller }, { em }) {
      const keys = await listApiKeys(em, caller.workspace.id)
      const requests = await countRecentRequests(
        em.fork(),
        keys.map(({ id }) => id),
      )
      return ok(keys.map((key) => presentApiKey(key, requests.get(key.id))))
    },
  }),

  operation({
    id: 'createApiKey',
    method: 'POST',
    path: '/api-keys',
    tag: 'Settings',
    summary: 'Create an API key',
    description: `The key is valid immediately. ${SHOWN_ONCE}`,
    role: 'owner',
    isSecret: true,
    body: apiKeyInput,
    responses: { 201: { description: 'The key.', schema: single(newApiKeyResponse) } },
    async handle({ caller, body }, { em }) {
      const { name, scopes, allow = [], rateLimit, expiresAt } = body
      const { apiKey, key } = await createApiKey(em, {
        workspaceId: caller.workspace.id,
        name,
        scopes: [...new Set(scopes)],
        allowedRanges: allow,
        rateLimit,
        expiresAt: expiresAt == null ? undefined : new Date(expiresAt),
      })
      return created({ ...presentApiKey(apiKey), key })
    },
  }),

  operation({
    id: 'rotateApiKey',
    method: 'POST',
    path: '/api-keys/{id}/rotate',
    tag: 'Settings',
    summary: 'Rotate an API key',
    description: `Creates a key with the same permissions. The old key expires after the overlap. ${SHOWN_ONCE}`,
    role: 'owner',
    isSecret: true,
    body: rotationInput,
    bodyOptional: true,
    responses: { 201: { description: 'The new key.', schema: single(newApiKeyResponse) } },
    errors: {
      400: ['This key has expired. Create a new one: key create'],
      404: [API_KEY_NOT_FOUND],
    },
    async handle({ caller, params, body }, { em }) {
      const { apiKey, key } = await rotateApiKey(em, params.id, body.overlapHours * 3_600_000, caller.workspace.id)
      return created({ ...presentApiKey(apiKey), key })
    },
  }),

  operation({
    id: 'deleteApiKey',
    method: 'DELETE',
    path: '/api-keys/{id}',
    tag: 'Settings',
    summary: 'Delete an API key',
    description: 'The next request with the key is rejected.',
    role: 'owner',
    responses: { 200: { description: 'Deleted.', schema: single(deleteResultResponse) } },
    errors: { 404: [API_KEY_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      await deleteApiKey(em, params.id, caller.workspace.id)
      return deleted(params.id)
    },
  }),
]

/** Operations on the workspace itself. */
export const workspaceOperations = [
  operation({
    id: 'updateWorkspace',
    method: 'PATCH',
    path: '/workspace',
    tag: 'Settings',
    summary: 'Rename the workspace',
    description: 'Changes the name. The mode cannot be changed.',
    role: 'owner',
    body: workspaceInput,
    responses: { 200: { description: 'The workspace.', schema: single(workspaceResponse) } },
    handle: async ({ caller, body }, { em }) =>
      ok(presentWorkspace(await renameWorkspace(em, caller.workspace.id, body.name))),
  }),
]
