import type { RateLimit } from './rate-limit.ts'
import type { Role } from './roles.ts'
import type { Scope } from './scopes.ts'

/** A workspace acts on real data (`live`), or is for development (`test`): its mail is always captured then. */
export const WORKSPACE_MODES = ['live', 'test'] as const
export type WorkspaceMode = (typeof WORKSPACE_MODES)[number]

/** A key by which a request came. */
export interface CallingKey {
  id: string
  name: string
  prefix: string
  expiresAt: Date | null
}

/** A person from whose browser a request came. */
export interface CallingPerson {
  accountId: string
  email: string
  sessionId: string
  role: Role
}

/** Whoever a request is of, and may make it: a key, or somebody who is signed in; and in which workspace. */
export interface Caller {
  by: { kind: 'key'; apiKey: CallingKey } | { kind: 'person'; person: CallingPerson }
  /** What it may do. */
  scopes: readonly Scope[]
  workspace: { id: string; name: string; mode: WorkspaceMode }
  /** What its window has told this request. */
  rateLimit: RateLimit
}

/** By what whoever asks is known to others of the workspace. */
export const nameOf = ({ by }: Caller): string => (by.kind === 'key' ? by.apiKey.name : by.person.email)
