import { array, type InferType, number, object, string } from 'yup'
import { count, id, SCOPES, timestamp, WORKSPACE_MODES } from '../http/index.ts'
import type { ApiKey, Workspace } from './entities.ts'

const nullableTime = (description: string) =>
  string()
    .nullable()
    .defined()
    .meta({ description, json: { format: 'date-time' }, example: null })

/** An API key without the key itself. */
export const apiKeyResponse = object({
  id: id('key'),
  name: string().required().meta({ example: 'Checkout' }),
  prefix: string().required().meta({ description: 'The visible prefix of the key.', example: 'svc_live_AbC123' }),
  scopes: array()
    .of(string().oneOf(SCOPES).required())
    .required()
    .meta({ example: ['contacts:write'] }),
  allow: array()
    .of(string().required())
    .required()
    .meta({ description: 'The IP addresses and ranges that may use the key. If empty, all may.', example: [] }),
  rateLimit: number().integer().required().meta({ description: 'Maximum requests per 60 seconds.', example: 120 }),
  requests: count('Requests in the last 60 seconds.', 87),
  createdAt: timestamp('When it was created.'),
  expiresAt: nullableTime('When the key expires; null if never.'),
  lastUsedAt: nullableTime('When the key was last used; null if never.'),
  rotatedAt: nullableTime('When the key was rotated.'),
})
  .required()
  .meta({ component: 'ApiKey', description: 'A key of the workspace.' })

/** An API key with the key itself. */
export const newApiKeyResponse = apiKeyResponse
  .shape({
    key: string().required().meta({ description: 'Only shown in this response.', example: 'svc_live_AbC123…' }),
  })
  .required()
  .meta({ component: 'NewApiKey' })

export const presentApiKey = (apiKey: ApiKey, requests = 0): InferType<typeof apiKeyResponse> => ({
  id: apiKey.id,
  name: apiKey.name,
  prefix: apiKey.prefix,
  scopes: [...apiKey.scopes],
  allow: [...apiKey.allowedRanges],
  rateLimit: apiKey.rateLimit,
  requests,
  createdAt: apiKey.createdAt.toISOString(),
  expiresAt: apiKey.expiresAt?.toISOString() ?? null,
  lastUsedAt: apiKey.lastUsedAt?.toISOString() ?? null,
  rotatedAt: apiKey.rotatedAt?.toISOString() ?? null,
})

export const workspaceResponse = object({
  id: id('workspace'),
  name: string().required().meta({ example: 'Orchard' }),
  mode: string().oneOf(WORKSPACE_MODES).required().meta({ description: 'A test workspace captures all mail.' }),
  timezone: string().required().meta({
    description: 'The time zone for contacts without a valid metadata.timezone.',
    example: 'Europe/Berlin',
  }),
  eventRetentionDays: number()
    .integer()
    .required()
    .meta({ description: 'Days for which custom events are stored.', example: 396 }),
  contentRetentionDays: number()
    .integer()
    .required()
    .meta({ description: 'Days for which the content of emails is stored after they were sent.', example: 30 }),
  historyRetentionDays: number().integer().nullable().defined().meta({
    description: 'Days for which messages and the steps of ended enrollments are stored, at least 30. Null keeps them.',
    example: null,
  }),
  clockAheadMinutes: number().integer().required().meta({
    description: 'How far the clock of a test workspace was moved forward. 0 in a live workspace.',
    example: 0,
  }),
  createdAt: timestamp('When it was created.'),
})
  .required()
  .meta({ component: 'Workspace' })

export const presentWorkspace = ({
  id: own,
  name,
  mode,
  timezone,
  eventRetentionDays,
  contentRetentionDays,
  historyRetentionDays,
  clockAheadMinutes,
  createdAt,
}: Workspace): InferType<typeof workspaceResponse> => ({
  id: own,
  name,
  mode,
  timezone,
  eventRetentionDays,
  contentRetentionDays,
  historyRetentionDays: historyRetentionDays ?? null,
  clockAheadMinutes,
  createdAt: createdAt.toISOString(),
})
