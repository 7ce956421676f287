import type { Schemas } from '../../api/client.ts'

export type ApiKey = Schemas['ApiKey']
export type NewApiKey = Schemas['NewApiKey']
export type Scope = ApiKey['scopes'][number]

/** Scopes in groups of a read and a write scope. */
export const SCOPES: readonly { of: string; detail: string; scopes: readonly Scope[] }[] = [
  { of: 'Contacts', detail: 'with tags, events and messages', scopes: ['contacts:read', 'contacts:write'] },
  { of: 'Lists', detail: 'with their members', scopes: ['lists:read', 'lists:write'] },
  { of: 'Segments', detail: '', scopes: ['segments:read', 'segments:write'] },
  { of: 'Campaigns', detail: '', scopes: ['campaigns:read', 'campaigns:write'] },
  { of: 'Templates', detail: '', scopes: ['templates:read', 'templates:write'] },
  {
    of: 'Automations',
    detail: 'with enrollments and retries',
    scopes: ['automations:read', 'automations:write'],
  },
  { of: 'Drafts and proposals', detail: 'for agents; cannot send', scopes: ['drafts:write'] },
  { of: 'Transactional emails', detail: '', scopes: ['emails:send'] },
  { of: 'Webhooks', detail: 'with contact data in events', scopes: ['webhooks:read', 'webhooks:write'] },
  { of: 'Sender', detail: '', scopes: ['sender:read', 'sender:write'] },
  { of: 'Audit log', detail: '', scopes: ['audit:read'] },
]
