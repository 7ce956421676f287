import { defineError } from '../platform/api-error.ts'

export const SUPPRESSION_NOT_FOUND = defineError('not-found', 'suppression_not_found', 'Suppression not found')
