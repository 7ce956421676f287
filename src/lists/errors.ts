import { defineError } from '../platform/api-error.ts'

export const LIST_NOT_FOUND = defineError('not-found', 'list_not_found', 'List not found in workspace')
export const NOT_IN_LIST = defineError('not-found', 'contact_not_in_list', 'Contact not found in list')
/**
 * The list triggers an ACTIVE automation, is in a condition or a step of an automation, or is in the audience of a campaign.
 * Without it, these would reach no contacts, or the wrong ones.
 */
export const LIST_IN_USE = defineError(
  'taken',
  'list_in_use',
  'An automation or a scheduled campaign uses this list. Pause an automation that it triggers, remove it from the conditions and steps of automations, and cancel the campaign first.',
)
export const CONTACT_LEFT_LIST = defineError(
  'taken',
  'contact_left_list',
  'The contact unsubscribed from this list. Pass "resubscribe": true if they asked to rejoin.',
)
export const CONFIRMATION_AUTOMATION_MISSING = defineError(
  'taken',
  'confirmation_automation_missing',
  'No automation sends confirmation emails for this list. Activate one with the trigger LIST_REQUESTED for this list and {{ confirmUrl }} in its email first.',
)

/** The error for a contact who has reached the daily limit of confirmation emails. */
export const CONFIRMATION_LIMIT_REACHED =
  'The address got five confirmation emails for this list within a day. Add the contact again tomorrow.'
