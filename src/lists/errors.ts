import { defineError } from '../platform/api-error.ts'

export const LIST_NOT_FOUND = defineError('not-found', 'list_not_found', 'List not found in workspace')
/** What is told of a contact that is not in a list. */
export const NOT_IN_LIST = defineError('not-found', 'contact_not_in_list', 'Contact not found in list')
/** What is told of a list that an ACTIVE automation listens to, or that says whom a campaign is for: without it, that would start nobody, or mail others. */
export const LIST_IN_USE = defineError(
  'taken',
  'list_in_use',
  'An ACTIVE automation starts whoever joins this list, or a campaign that is to begin asks who is in it: pause the automation, or cancel the campaign, before the list is deleted',
)
/** What is told of somebody who is put into a list that she has left by a link in an email. */
export const CONTACT_LEFT_LIST = defineError(
  'taken',
  'contact_left_list',
  'The contact has left this list by herself: say "resubscribe": true where she has asked to be in it again',
)
/** What is told of a list that is to be joined by confirming it, while nothing asks anybody to. */
export const CONFIRMATION_AUTOMATION_MISSING = defineError(
  'taken',
  'confirmation_automation_missing',
  'No automation asks anybody to confirm: create an ACTIVE one with the trigger LIST_REQUESTED for this list first, whose email has {{ confirmUrl }}',
)

/** What is told of who is to confirm a list, and is not asked. */
export const CONFIRMATION_LIMIT_REACHED =
  'Her address was asked five times within a day whether it wants this list, and is left alone: put her into it again tomorrow'
