import { type InferType, object, string } from 'yup'
import { id, timestamp, nullableText } from '../http/index.ts'
import { ACTORS } from './entities.ts'
import type { ListedEntry } from './queries.ts'

export const auditEntryResponse = object({
  id: id('entry'),
  actor: string().oneOf(ACTORS).required().meta({ example: 'person' }),
  actorId: nullableText('The account, or the key; null of the command line.'),
  actorName: string().required().meta({ description: 'What it was called then.', example: 'ada@example.com' }),
  operation: string()
    .required()
    .meta({ description: 'The operationId of this description.', example: 'updateAutomation' }),
  targetId: nullableText('What was changed, where it is one thing.'),
  requestId: nullableText('X-Request-Id, by which the log has it.'),
  createdAt: timestamp('When it was done.'),
})
  .required()
  .meta({ component: 'AuditEntry', description: 'A change.' })

export const presentAuditEntry = (entry: ListedEntry): InferType<typeof auditEntryResponse> => ({
  id: entry.id,
  actor: entry.actor,
  actorId: entry.actorId,
  actorName: entry.actorName,
  operation: entry.operation,
  targetId: entry.targetId,
  requestId: entry.requestId,
  createdAt: entry.createdAt.toISOString(),
})
