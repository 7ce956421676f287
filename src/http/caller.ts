import type { RateLimit } from './rate-limit.ts'
import type { Role } from './roles.ts'
import type { Scope } from './scopes.ts'

/** A `live` workspace sends its mail. A `test` workspace is for development, and all of its mail is captured. */
export const WORKSPACE_MODES = ['live', 'test'] as const
export type WorkspaceMode = (typeof WORKSPACE_MODES)[number]

/** The API key of a request. */
interface CallingKey {
  id: string
  name: string
  prefix: string
  expiresAt: Date | null
}

/** The person whose browser sent a request. */
export interface CallingPerson {
  accountId: string
  email: string
  sessionId: string
  role: Role
}

/** An authenticated caller (an API key or a signed-in person) and the workspace of the request. */
export interface Caller {
  by: { kind: 'key'; apiKey: CallingKey } | { kind: 'person'; person: CallingPerson }
  /** The scopes of the caller. */
  scopes: readonly Scope[]
  workspace: { id: string; name: string; mode: WorkspaceMode }
  /** The state of the caller's rate limit after this request. */
  rateLimit: RateLimit
}

/** The name by which other members of the workspace know the caller. */
export const nameOf = ({ by }: Caller): string => (by.kind === 'key' ? by.apiKey.name : by.person.email)
