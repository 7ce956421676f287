import { type Scope, SCOPES } from './scopes.ts'

/** What a person may do in a workspace, each more than the one before. */
export const ROLES = ['viewer', 'editor', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** Whether a role is as much as another one. */
export const isAtLeast = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least)

const READING = SCOPES.filter((scope) => scope.endsWith(':read'))

/** Which of the operations that keys have too a role may do: a viewer those that change nothing. */
export const scopesOf = (role: Role): readonly Scope[] => (role === 'viewer' ? READING : SCOPES)
