import { reason } from '../platform/refusal.ts'

/** What is told of a contact or a list that the workspace does not have. */
export const CONTACT_NOT_FOUND = reason('not-found', 'contact_not_found', 'Contact not found')
/** Another contact has it. */
export const EMAIL_TAKEN = reason('taken', 'email_taken', 'Another contact has this email address')
export const EXTERNAL_ID_TAKEN = reason('taken', 'external_id_taken', 'Another contact has this externalId')
export const LIST_NOT_FOUND = reason('not-found', 'list_not_found', 'List not found in workspace')
/** What a caller is told whose writing meets the constraint of that name, because of what others wrote in that moment. */
export const MEANWHILE = {
  list_members_list_id_fkey: LIST_NOT_FOUND,
  contacts_email_unique: { ...EMAIL_TAKEN, param: '/email' },
  contacts_external_id_unique: { ...EXTERNAL_ID_TAKEN, param: '/externalId' },
} as const
