import { defineError } from '../platform/api-error.ts'

export const IMPORT_NOT_FOUND = defineError('not-found', 'import_not_found', 'Import not found')
export const IMPORT_ENDED = defineError('taken', 'import_ended', 'This import has ended. Create a new one.')
export const IMPORT_POSITION_MISMATCH = defineError(
  'taken',
  'import_position_mismatch',
  'This import continues at a different position. Get the import, and continue there.',
)
export const WRONG_HEADER = defineError('invalid', 'wrong_header', 'The header of the file does not match its format')
