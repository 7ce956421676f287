import { notFound } from '../platform/refusal.ts'

/** What is told of a contact, a list or a segment that the workspace does not have. */
export const CONTACT_NOT_FOUND = 'Contact not found'
export const LIST_NOT_FOUND = 'List not found in workspace'
export const SEGMENT_NOT_FOUND = 'Segment not found'

export const contactNotFound = () => notFound(CONTACT_NOT_FOUND)
export const listNotFound = () => notFound(LIST_NOT_FOUND)
export const segmentNotFound = () => notFound(SEGMENT_NOT_FOUND)
