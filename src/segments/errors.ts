import { defineError } from '../platform/api-error.ts'

export const SEGMENT_NOT_FOUND = defineError('not-found', 'segment_not_found', 'Segment not found')
/** What is told of a segment that says whom a campaign is for: without it, that would mail others. */
export const SEGMENT_IN_USE = defineError(
  'taken',
  'segment_in_use',
  'A campaign that is to begin asks who is in this segment: cancel the campaign before the segment is deleted',
)
