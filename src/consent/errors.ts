import { defineError } from '../platform/api-error.ts'

/** What is told of a suppression that the workspace does not have. */
export const SUPPRESSION_NOT_FOUND = defineError('not-found', 'suppression_not_found', 'Suppression not found')
