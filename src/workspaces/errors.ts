import { defineError } from '../platform/api-error.ts'

export const API_KEY_NOT_FOUND = defineError('not-found', 'api_key_not_found', 'API key not found')
