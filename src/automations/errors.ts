import { defineError, ApiError } from '../platform/api-error.ts'
import type { NeverActs } from './automation.ts'

export const AUTOMATION_NOT_FOUND = defineError('not-found', 'automation_not_found', 'Automation not found')
export const DRAFT_NOT_FOUND = defineError(
  'not-found',
  'draft_not_found',
  'Nobody has begun a draft of this automation',
)
/** What is told of an automation that nobody can be enrolled in: it is not told apart from one that there is not. */
export const AUTOMATION_NOT_ACTIVE = defineError(
  'not-found',
  'automation_not_active',
  'Automation not found or not active',
)
/** What is told of the last automation that asks whoever joins a list to confirm it: without it they would wait for an email for ever. */
export const AUTOMATION_CONFIRMS_LIST = defineError(
  'taken',
  'automation_confirms_list',
  'A list that is joined by confirming asks by this automation alone: let another one ask, or set its "doubleOptIn" to false, first',
)
const inWords = (why: string): string =>
  `An ACTIVE automation must be able to act, and this one never would: ${why}. Or leave it a DRAFT.`

export const AUTOMATION_NEVER_ACTS = defineError(
  'invalid',
  'automation_never_acts',
  inWords('with the trigger EVENT it starts nobody without triggerConfig.eventName: give it the name of the event'),
)
export const neverActs = ({ why, param }: NeverActs): ApiError =>
  new ApiError(AUTOMATION_NEVER_ACTS, { message: inWords(why), param })
