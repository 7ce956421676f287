import { defineError } from '../platform/api-error.ts'

export const CONTACT_NOT_FOUND = defineError('not-found', 'contact_not_found', 'Contact not found')
export const EMAIL_TAKEN = defineError('taken', 'email_taken', 'Another contact has this email address')
export const EXTERNAL_ID_TAKEN = defineError('taken', 'external_id_taken', 'Another contact has this externalId')
export const TAG_NOT_FOUND = defineError('not-found', 'tag_not_found', 'Contact does not have this tag')
/** Errors by the name of the unique constraint, for writes that conflict with a concurrent one. */
export const CONFLICT_ERRORS = {
  contacts_email_unique: { ...EMAIL_TAKEN, param: '/email' },
  contacts_external_id_unique: { ...EXTERNAL_ID_TAKEN, param: '/externalId' },
} as const
