import { reason } from '../platform/refusal.ts'

export const IMPORT_NOT_FOUND = reason('not-found', 'import_not_found', 'Import not found')
export const IMPORT_ENDED = reason('taken', 'import_ended', 'This import has ended: begin a new one')
export const IMPORT_ELSEWHERE = reason(
  'taken',
  'import_elsewhere',
  'This import goes on at another position: GET it, and go on from there',
)
export const WRONG_HEADER = reason('invalid', 'wrong_header', 'The header of the file is not one of its format')
