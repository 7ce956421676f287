import { defineError } from '../platform/api-error.ts'

export const SEGMENT_NOT_FOUND = defineError('not-found', 'segment_not_found', 'Segment not found')
/** The segment is in the audience of a campaign. Without it, the campaign would go to the wrong contacts. */
export const SEGMENT_IN_USE = defineError(
  'taken',
  'segment_in_use',
  'This segment is in the audience of a scheduled campaign. Cancel the campaign first.',
)
