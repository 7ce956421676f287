import { defineError } from '../platform/api-error.ts'

export const REHEARSAL_NOT_FOUND = defineError('not-found', 'rehearsal_not_found', 'Rehearsal not found')
export const TOO_MANY_REHEARSALS = defineError(
  'taken',
  'too_many_rehearsals',
  'Three rehearsals are running in this workspace. Wait until one is done, or cancel one.',
)
export const REHEARSAL_NOT_RUNNING = defineError('taken', 'rehearsal_not_running', 'The rehearsal is not running')
