import type { Role } from '../../api/session.ts'

/** The roles, with what they allow. */
export const ROLES: readonly { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer: read-only access' },
  { value: 'editor', label: 'Editor: can edit contacts, automations and campaigns' },
  { value: 'owner', label: 'Owner: full access, including API keys, members and settings' },
]

export const roleLabel = (role: Role): string => role[0]!.toUpperCase() + role.slice(1)

export const ROLE_OPTIONS = ROLES.map(({ value }) => ({ value, label: roleLabel(value) }))
