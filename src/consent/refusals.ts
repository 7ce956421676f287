import { reason } from '../platform/refusal.ts'

/** What is told of a suppression that the workspace does not have. */
export const SUPPRESSION_NOT_FOUND = reason('not-found', 'suppression_not_found', 'Suppression not found')
