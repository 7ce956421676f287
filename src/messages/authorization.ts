import { missingScope } from '../http/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { isId } from '../platform/ids.ts'
import { ApiError } from '../platform/api-error.ts'
import type { Caller, Scope } from '../workspaces/index.ts'
import { Message } from './entities.ts'

/** Scopes required to retry or dismiss messages, by source. */
const SCOPES = {
  automations: 'automations:write',
  campaigns: 'campaigns:write',
  emails: 'emails:send',
} as const satisfies Record<string, Scope>

/** The kind of source that a message belongs to. */
export type Source = keyof typeof SCOPES

const may = ({ scopes }: Caller, source: Source): boolean => scopes.includes(SCOPES[source])

/** @throws {ApiError} `scope_missing` */
export function assertMayDecideOf(caller: Caller, source: Source): void {
  if (!may(caller, source)) throw new ApiError(missingScope(SCOPES[source]))
}

/** Checks the scope for one message. A message that does not exist needs no scope. @throws {ApiError} `scope_missing` */
export async function assertMayDecide(em: EntityManager, caller: Caller, id: string): Promise<void> {
  const found = isId(id) ? await em.fork().findOne(Message, { id, workspaceId: caller.workspace.id }) : null
  if (found) assertMayDecideOf(caller, found.campaignId ? 'campaigns' : found.automationId ? 'automations' : 'emails')
}

/** Returns the only source whose messages the caller may retry or dismiss; `undefined` if they may for all. */
export const mayDecideOnly = (caller: Caller): Source | undefined =>
  may(caller, 'campaigns') ? (may(caller, 'automations') ? undefined : 'campaigns') : 'automations'
