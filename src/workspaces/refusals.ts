import { reason } from '../platform/refusal.ts'

export const API_KEY_NOT_FOUND = reason('not-found', 'api_key_not_found', 'API key not found')
