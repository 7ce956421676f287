/** The permissions of API keys. */
export const SCOPES = [
  'contacts:read',
  'contacts:write',
  'lists:read',
  'lists:write',
  'campaigns:read',
  'campaigns:write',
  'templates:read',
  'templates:write',
  'segments:read',
  'segments:write',
  'automations:read',
  'automations:write',
  'drafts:write',
  'emails:send',
  'webhooks:read',
  'webhooks:write',
  'sender:read',
  'sender:write',
  'audit:read',
] as const
export type Scope = (typeof SCOPES)[number]

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text)
