import { defineError } from '../platform/api-error.ts'

export const SEGMENT_NOT_FOUND = defineError('not-found', 'segment_not_found', 'Segment not found')
/** Without the segment, the campaign or automation would reach the wrong contacts, and the other segment would contain wrong ones. */
export const SEGMENT_IN_USE = defineError(
  'taken',
  'segment_in_use',
  'A scheduled campaign, an automation or another segment uses this segment. Cancel the campaign, or change the automation or the other segment first.',
)
