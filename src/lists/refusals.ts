import { reason } from '../platform/refusal.ts'

/** What is told of a contact that is not in a list, or has not a tag. */
export const NOT_IN_LIST = reason('not-found', 'contact_not_in_list', 'Contact not found in list')
export const TAG_NOT_FOUND = reason('not-found', 'tag_not_found', 'Contact does not have this tag')
