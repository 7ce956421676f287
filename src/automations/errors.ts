import { defineError, ApiError } from '../platform/api-error.ts'
import type { MissingPart } from './automation.ts'

export const AUTOMATION_NOT_FOUND = defineError('not-found', 'automation_not_found', 'Automation not found')
export const VERSION_NOT_FOUND = defineError('not-found', 'version_not_found', 'The automation has no such version')
export const DRAFT_NOT_FOUND = defineError('not-found', 'draft_not_found', 'This automation has no draft')
/** No contact can be enrolled. The same error as for a missing automation, so that the two cannot be distinguished. */
export const AUTOMATION_NOT_ACTIVE = defineError(
  'not-found',
  'automation_not_active',
  'Automation not found or not active',
)
/** The last automation that sends confirmation emails for a list. Without it, contacts could not join. */
export const AUTOMATION_CONFIRMS_LIST = defineError(
  'taken',
  'automation_confirms_list',
  'This is the only automation that sends confirmation emails for its list. Activate another one, or set "doubleOptIn" of the list to false first.',
)
const notActive = (why: string): string =>
  `This automation cannot be ACTIVE: ${why}. Correct this, or keep it as a DRAFT.`

export const AUTOMATION_NEVER_ACTS = defineError(
  'invalid',
  'automation_never_acts',
  notActive('the trigger EVENT requires triggerConfig.eventName, the name of the event'),
)
export const automationNeverActs = ({ why, param }: MissingPart): ApiError =>
  new ApiError(AUTOMATION_NEVER_ACTS, { message: notActive(why), param })
