import { type InferType, object, string } from 'yup'
import { id, timestamp, nullableText } from '../http/index.ts'
import { ACTORS } from './entities.ts'
import type { ListedEntry } from './queries.ts'

export const auditEntryResponse = object({
  id: id('entry'),
  actor: string().oneOf(ACTORS).required().meta({ example: 'person' }),
  actorId: nullableText('The ID of the account or the API key; null for the CLI.'),
  actorName: string().required().meta({
    description: 'The email of the account or the name of the key, at the time of the change.',
    example: 'ada@example.com',
  }),
  operation: string().required().meta({
    description: 'The operationId in this API description, or `failedSignIn` for an attempt with a wrong password.',
    example: 'updateAutomation',
  }),
  targetId: nullableText('The ID of the changed object, if there is exactly one.'),
  requestId: nullableText('The X-Request-Id of the request, as in the log.'),
  address: nullableText('The IP address of the client, for sign-ins and other uses of an account.', '203.0.113.7'),
  createdAt: timestamp('When the change was made.'),
})
  .required()
  .meta({ component: 'AuditEntry', description: 'A change in the workspace.' })

export const presentAuditEntry = (entry: ListedEntry): InferType<typeof auditEntryResponse> => ({
  id: entry.id,
  actor: entry.actor,
  actorId: entry.actorId,
  actorName: entry.actorName,
  operation: entry.operation,
  targetId: entry.targetId,
  requestId: entry.requestId,
  address: entry.address,
  createdAt: entry.createdAt.toISOString(),
})
