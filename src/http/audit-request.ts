import { writeEntry } from '../audit/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { readId } from '../platform/ids.ts'
import type { Caller } from '../workspaces/index.ts'
import type { Answer } from './operation.ts'

export interface RequestEntry {
  operation: string
  caller: Caller
  targetId: string | null
  requestId: string
}

/** Writes an audit entry: who has used an operation, on what. */
export async function auditRequest(em: EntityManager, entry: RequestEntry): Promise<void> {
  const { operation, caller, targetId, requestId } = entry
  const { by, workspace } = caller
  const actor =
    by.kind === 'key'
      ? { actor: 'key' as const, actorId: by.apiKey.id, actorName: by.apiKey.name }
      : { actor: 'person' as const, actorId: by.person.accountId, actorName: by.person.email }
  const target = targetId === null ? null : (readId(targetId) ?? null)
  await writeEntry(em, { workspaceId: workspace.id, ...actor, operation, targetId: target, requestId })
}

/** The ID of the resource in a response. */
export function idOf({ body }: Answer): string | null {
  const { data } = (body ?? {}) as { data?: { id?: unknown } }
  return typeof data?.id === 'string' ? data.id : null
}
