export { CONTACT_LIMITS } from './contact-limits.ts'
export { Contact, ContactTag, FormerAddress, Suppression, ContactCounter } from './entities.ts'
export { MAX_METADATA_BYTES, splitMetadata } from './metadata.ts'
export { addressesByExternalId } from './queries.ts'
export { checkContact } from './check-contact.ts'
export { type ContactInput, upsertManyContacts } from './upsert-contacts.ts'
export type { Erasure } from './erasure.ts'
export { exportWorkspace } from './export-workspace.ts'
export { getContact } from './search-contacts.ts'
export { CONTACT_PARAM, resolveContactId } from './contact-param.ts'
export { CONTACT_NOT_FOUND, CONFLICT_ERRORS } from './errors.ts'
export { MAX_TAG_LENGTH } from './tag.ts'
export {
  SUPPRESSED_ERRORS,
  type SuppressedBy,
  suppressedBy,
  SUPPRESSION_REASONS,
  type SuppressionReason,
  suppresses,
} from './suppression.ts'
export { triggerOccurrencesOf } from './happenings.ts'
export {
  anonymizeSuppressions,
  deleteOwnSuppressions,
  deleteSuppression,
  insertSuppression,
  insertSuppressions,
  suppressHashes,
  suppressionPage,
  type SuppressionRow,
} from './suppression-queries.ts'
export { writeMemberships } from './write-memberships.ts'
export {
  incrementConsentVersion,
  incrementConsentVersions,
  confirmContacts,
  loadTagKeys,
  lockContactsByKey,
  mergeMetadata,
} from './write-queries.ts'
export { suppressionOf } from './suppression-rules.ts'
export {
  lockContactsAgainstErasure,
  lastPosition,
  readRecipients,
  type Recipient,
  lockContactsShared,
} from './recipients-queries.ts'
