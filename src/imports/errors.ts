import { defineError } from '../platform/api-error.ts'

export const IMPORT_NOT_FOUND = defineError('not-found', 'import_not_found', 'Import not found')
export const IMPORT_NOT_UPLOADED = defineError('taken', 'import_not_uploaded', 'The file is not uploaded completely')
export const IMPORT_UPLOADED = defineError('taken', 'import_uploaded', 'The file of this import is already uploaded')
export const IMPORT_STARTED = defineError('taken', 'import_started', 'This import has already started')
export const IMPORT_NOT_RUNNING = defineError('taken', 'import_not_running', 'This import is not running')
export const IMPORT_POSITION_MISMATCH = defineError(
  'taken',
  'import_position_mismatch',
  'The upload continues at a different position. Get the import, and continue there.',
)
export const IMPORT_TOO_LARGE = defineError('invalid', 'import_too_large', 'The file is larger than 256 MB. Split it.')
export const WRONG_HEADER = defineError('invalid', 'wrong_header', 'The file has no header that can be read')
export const WRONG_MAPPING = defineError('invalid', 'wrong_mapping', 'The mapping does not match the file')
export const MAPPING_INCOMPLETE = defineError(
  'invalid',
  'mapping_incomplete',
  'Map these columns to a field, to metadata, or to "nothing": "Newsletter". A column may hold opt-outs.',
)
