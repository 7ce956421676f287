import type { EntityManager } from '../platform/db/orm.ts'
import { readId } from '../platform/ids.ts'
import type { Caller } from './caller.ts'

/** Writes an audit entry, in the transaction of the change. */
export type WriteAuditEntry = (
  em: EntityManager,
  entry: {
    workspaceId: string
    actor: 'key' | 'person'
    actorId: string
    actorName: string
    operation: string
    targetId: string | null
    requestId: string
    address: null
  },
) => Promise<void>

/** One use of an operation: the caller and the resource. */
export interface RequestEntry {
  operation: string
  caller: Caller
  targetId: string | null
  requestId: string
}

export function auditEntryOf({ operation, caller, targetId, requestId }: RequestEntry): Parameters<WriteAuditEntry>[1] {
  const { by, workspace } = caller
  const actor =
    by.kind === 'key'
      ? { actor: 'key' as const, actorId: by.apiKey.id, actorName: by.apiKey.name }
      : { actor: 'person' as const, actorId: by.person.accountId, actorName: by.person.email }
  const target = targetId === null ? null : (readId(targetId) ?? null)
  return { workspaceId: workspace.id, ...actor, operation, targetId: target, requestId, address: null }
}
