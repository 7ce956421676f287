export { CONTACT_LIMITS, isContactLimit, MAX_LISTS_OF_CONTACT } from './contact-limits.ts'
export { Contact, ContactTag, FormerAddress, Tally } from './entities.ts'
export { MAX_METADATA_BYTES, splitMetadata } from './metadata.ts'
export { removal, without } from './metadata-queries.ts'
export { addressesByExternalId, type ContactProfile, knownLists } from './queries.ts'
export { joinSchema, listSchema, membersQuery, tagsSchema, updateListSchema } from './schemas.ts'
export { findNamed } from './queries.ts'
export { checkContact } from './check-contact.ts'
export { type ContactInput, upsertManyContacts } from './upsert-contacts.ts'
export { requestLists } from './list-request-queries.ts'
export type { Erasure } from './erasure.ts'
export { exportWorkspace } from './export-workspace.ts'
export { getContact } from './search-contacts.ts'
export { CONTACT, namedContact } from './contact-param.ts'
export { CONTACT_NOT_FOUND, LIST_NOT_FOUND, MEANWHILE } from './refusals.ts'
export { presentWritten, writtenContactShape } from './shapes.ts'
export { MAX_TAG_LENGTH, uniqueTags } from './tag.ts'
export { answerContacts, contactPage, WITHOUT_READING } from './contact-page.ts'
export {
  SUPPRESSED_WORDS,
  type SuppressedBy,
  suppressedBy,
  SUPPRESSION_REASONS,
  type SuppressionReason,
  suppresses,
} from './suppression.ts'
