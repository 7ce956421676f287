import { reason } from '../platform/refusal.ts'

/** What is told of a contact, a list or a segment that the workspace does not have. */
export const CONTACT_NOT_FOUND = reason('not-found', 'contact_not_found', 'Contact not found')
export const LIST_NOT_FOUND = reason('not-found', 'list_not_found', 'List not found in workspace')
export const SEGMENT_NOT_FOUND = reason('not-found', 'segment_not_found', 'Segment not found')
