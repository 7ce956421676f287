import { type Scope, SCOPES } from './scopes.ts'

/** The roles of people in a workspace. Each one includes the roles before it. */
export const ROLES = ['viewer', 'editor', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** Returns whether a role includes another one. */
export const isAtLeast = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least)

const READING = SCOPES.filter((scope) => scope.endsWith(':read'))

/** The scopes that a role includes: those for reading for a viewer, all scopes for other roles. */
export const scopesOf = (role: Role): readonly Scope[] => (role === 'viewer' ? READING : SCOPES)
