import { defineError } from '../platform/api-error.ts'
import { MAX_LISTS_OF_CONTACT } from '../lists/index.ts'
import { METADATA_TOO_LARGE } from './metadata.ts'

/** Maximum length of a first name, in characters. */
export const MAX_FIRST_NAME_LENGTH = 1_000

/** The maximum number of tags of a contact. A page of a hundred contacts shows all of them. */
export const MAX_TAGS_OF_CONTACT = 250

/** The limits that the database enforces, because each write adds to what is stored: errors by the name of the constraint. */
export const CONTACT_LIMITS = {
  contacts_metadata_size: METADATA_TOO_LARGE,
  contact_tags_most: defineError(
    'invalid',
    'too_many_tags',
    `A contact must not have more than ${MAX_TAGS_OF_CONTACT} tags, including its existing ones`,
  ),
  list_members_most: defineError(
    'invalid',
    'too_many_lists',
    `A contact must not be in more than ${MAX_LISTS_OF_CONTACT} lists`,
  ),
} as const

export type ContactLimit = keyof typeof CONTACT_LIMITS
