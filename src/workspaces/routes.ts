import { array } from 'yup'
import {
  deleted,
  deleteResultResponse,
  nothingToUpdate,
  operation,
  RECENT_SIGN_IN_REQUIRED,
  single,
  ok,
  created,
} from '../http/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { changeApiKey, createApiKey, deleteApiKey, listApiKeys, rotateApiKey } from './create-api-key.ts'
import { getWorkspace, updateWorkspace } from './create-workspace.ts'
import { countRecentRequests } from './queries.ts'
import { API_KEY_NOT_FOUND } from './errors.ts'
import { apiKeyResponse, newApiKeyResponse, presentApiKey, presentWorkspace, workspaceResponse } from './responses.ts'
import { apiKeyChange, apiKeyInput, rotationInput, workspaceInput } from './schemas.ts'

const NOTHING_TO_UPDATE = nothingToUpdate(Object.keys(workspaceInput.fields))

const NOTHING_TO_CHANGE = nothingToUpdate(Object.keys(apiKeyChange.fields))

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
    description: `The key is valid immediately. You must have signed in within the last ten minutes, so that a stolen session cannot create a key that outlives it. ${SHOWN_ONCE}`,
    role: 'owner',
    isSecret: true,
    body: apiKeyInput,
    responses: { 201: { description: 'The key.', schema: single(newApiKeyResponse) } },
    errors: { 401: [RECENT_SIGN_IN_REQUIRED] },
    async handle({ caller, body }, { em, requireRecentSignIn }) {
      if (caller.by.kind === 'person') await requireRecentSignIn(em, caller.by.person.sessionId)
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
    id: 'updateApiKey',
    method: 'PATCH',
    path: '/api-keys/{id}',
    tag: 'Settings',
    summary: 'Change an API key',
    description: 'Changes the name or the rate limit, from the next request on. The scopes of a key never change.',
    role: 'owner',
    body: apiKeyChange,
    responses: { 200: { description: 'The key.', schema: single(apiKeyResponse) } },
    errors: { 400: [NOTHING_TO_CHANGE], 404: [API_KEY_NOT_FOUND] },
    async handle({ caller, params, body }, { em }) {
      if (Object.keys(body).length === 0) throw new ApiError(NOTHING_TO_CHANGE)
      return ok(presentApiKey(await changeApiKey(em, caller.workspace.id, params.id, body)))
    },
  }),

  operation({
    id: 'rotateApiKey',
    method: 'POST',
    path: '/api-keys/{id}/rotate',
    tag: 'Settings',
    summary: 'Rotate an API key',
    description: `Creates a key with the same permissions. The old key expires after the overlap. You must have signed in within the last ten minutes. ${SHOWN_ONCE}`,
    role: 'owner',
    isSecret: true,
    body: rotationInput,
    bodyOptional: true,
    responses: { 201: { description: 'The new key.', schema: single(newApiKeyResponse) } },
    errors: {
      400: ['This key has expired. Create a new one: key create'],
      401: [RECENT_SIGN_IN_REQUIRED],
      404: [API_KEY_NOT_FOUND],
    },
    async handle({ caller, params, body }, { em, requireRecentSignIn }) {
      if (caller.by.kind === 'person') await requireRecentSignIn(em, caller.by.person.sessionId)
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
    id: 'getWorkspace',
    method: 'GET',
    path: '/workspace',
    tag: 'Settings',
    summary: 'Get the workspace',
    description: 'Returns the settings of the workspace.',
    scope: null,
    responses: { 200: { description: 'The workspace.', schema: single(workspaceResponse) } },
    handle: async ({ caller }, { em }) => ok(presentWorkspace(await getWorkspace(em, caller.workspace.id))),
  }),

  operation({
    id: 'updateWorkspace',
    method: 'PATCH',
    path: '/workspace',
    tag: 'Settings',
    summary: 'Update the workspace',
    description:
      'Changes the given settings. The mode cannot be changed. After a retention is shortened, older data is deleted permanently within ' +
      'minutes.',
    role: 'owner',
    body: workspaceInput,
    responses: { 200: { description: 'The workspace.', schema: single(workspaceResponse) } },
    errors: { 400: [NOTHING_TO_UPDATE] },
    async handle({ caller, body }, { em }) {
      if (Object.keys(body).length === 0) throw new ApiError(NOTHING_TO_UPDATE)
      return ok(presentWorkspace(await updateWorkspace(em, caller.workspace.id, body)))
    },
  }),
]
