import { reason } from '../platform/refusal.ts'

/** Why a key lets nobody in. */
export const KEY_REFUSALS = {
  missing: reason(
    'unauthenticated',
    'key_missing',
    'API key missing: send it as "Authorization: Bearer <API_KEY>" or as "x-api-key: <API_KEY>"',
  ),
  malformed: reason(
    'unauthenticated',
    'key_malformed',
    'Invalid API key: it is not a complete key as it was shown once',
  ),
  'unknown-key': reason('unauthenticated', 'key_unknown', 'API key not found or has been revoked'),
  expired: reason('unauthenticated', 'key_expired', 'API key has expired'),
  'wrong-address': reason('unauthenticated', 'key_not_allowed_here', 'API key not allowed from this IP address'),
} as const

export const API_KEY_NOT_FOUND = reason('not-found', 'api_key_not_found', 'API key not found')
