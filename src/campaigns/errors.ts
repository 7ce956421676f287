import { defineError } from '../platform/api-error.ts'

export const CAMPAIGN_NOT_FOUND = defineError('not-found', 'campaign_not_found', 'Campaign not found')
/** The message is replaced by one that names what is missing. */
export const CAMPAIGN_INCOMPLETE = defineError(
  'invalid',
  'campaign_incomplete',
  'A campaign needs content before it is sent. Set a template that has html or text, or a subject with html or text',
)
export const AUDIENCE_EMPTY = defineError(
  'invalid',
  'audience_empty',
  'The audience currently has no contacts. Add contacts to its lists or segments, or choose others',
)
export const TIME_IN_PAST = defineError('invalid', 'time_in_past', 'at must not be in the past')
/** The message is replaced by one that names the status, and the statuses that allow the operation. */
export const CAMPAIGN_STATUS_WRONG = defineError(
  'taken',
  'campaign_status_wrong',
  'The campaign is SENT: only a DRAFT can be changed',
)
