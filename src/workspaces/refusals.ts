/** Why a key lets nobody in. */
export const KEY_REFUSALS = {
  missing: 'API key missing: send it as "Authorization: Bearer <API_KEY>" or as "x-api-key: <API_KEY>"',
  malformed: 'Invalid API key: it is not a complete key as it was shown once',
  'unknown-key': 'API key not found or has been revoked',
  'wrong-address': 'API key not allowed from this IP address',
} as const
