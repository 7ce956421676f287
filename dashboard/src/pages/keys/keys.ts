import type { Schemas } from '../../api/client.ts'

export type ApiKey = Schemas['ApiKey']
export type NewApiKey = Schemas['NewApiKey']
export type Scope = ApiKey['scopes'][number]

/** What keys may do: what a word is about, and whether there is reading and writing of it. */
export const SCOPES: readonly { of: string; says: string; scopes: readonly Scope[] }[] = [
  { of: 'Contacts', says: 'and their tags, events and messages', scopes: ['contacts:read', 'contacts:write'] },
  { of: 'Lists', says: 'and who is in them', scopes: ['lists:read', 'lists:write'] },
  { of: 'Segments', says: '', scopes: ['segments:read', 'segments:write'] },
  {
    of: 'Automations',
    says: 'enrolling, and trying messages again',
    scopes: ['automations:read', 'automations:write'],
  },
]
