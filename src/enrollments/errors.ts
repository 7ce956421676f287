import { defineError } from '../platform/api-error.ts'

/** Error for a contact that is not in an automation, or does not exist in the workspace. */
export const NOT_ENROLLED = defineError('not-found', 'not_enrolled', 'This contact is not enrolled in this automation')
