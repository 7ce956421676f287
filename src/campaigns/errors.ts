import { defineError } from '../platform/api-error.ts'

export const CAMPAIGN_NOT_FOUND = defineError('not-found', 'campaign_not_found', 'Campaign not found')
/** What it lacks is said in words. */
export const CAMPAIGN_INCOMPLETE = defineError(
  'invalid',
  'campaign_incomplete',
  'A campaign needs something to say before it is sent: give it a template that has html or text, or a subject with html or text',
)
export const AUDIENCE_EMPTY = defineError(
  'invalid',
  'audience_empty',
  'No contact is in its audience at the moment: put contacts into its lists or segments, or give it others',
)
export const TIME_IN_PAST = defineError('invalid', 'time_in_past', 'at must be a time that is not past')
/** What it is, and what would be possible, is said in words. */
export const CAMPAIGN_STATUS_WRONG = defineError(
  'taken',
  'campaign_status_wrong',
  'The campaign is SENT: only a DRAFT can be changed',
)
