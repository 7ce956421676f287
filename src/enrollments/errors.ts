import { defineError } from '../platform/api-error.ts'

/** What is told of a contact who is not in an automation: also of one whom the workspace does not have. */
export const NOT_ENROLLED = defineError('not-found', 'not_enrolled', 'This contact is not enrolled in this automation')
