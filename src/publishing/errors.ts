import { defineError } from '../platform/api-error.ts'

export const MOVE_NOT_FOUND = defineError(
  'not-found',
  'move_not_found',
  'No publication of this automation has moved or ended the contacts inside',
)
