export { applyChange, type AppliedChange } from './apply-change.ts'
export { CONTACT_LIMITS, MAX_FIRST_NAME_LENGTH } from './contact-limits.ts'
export { Contact, ContactTag, FormerAddress, Suppression, Tally } from './entities.ts'
export { MAX_METADATA_BYTES, splitMetadata } from './metadata.ts'
export { addressesByExternalId } from './queries.ts'
export { checkContact } from './check-contact.ts'
export { type ContactInput, upsertManyContacts } from './upsert-contacts.ts'
export type { Erasure } from './erasure.ts'
export { exportWorkspace } from './export-workspace.ts'
export { getContact } from './search-contacts.ts'
export { CONTACT, namedContact, readName } from './contact-param.ts'
export { CONTACT_NOT_FOUND, MEANWHILE } from './errors.ts'
export { contactFields } from './schemas.ts'
export { MAX_TAG_LENGTH } from './tag.ts'
export {
  SUPPRESSED_WORDS,
  type SuppressedBy,
  suppressedBy,
  SUPPRESSION_REASONS,
  type SuppressionReason,
  suppresses,
} from './suppression.ts'
export { happeningsOf } from './happenings.ts'
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
export {
  type ContactName,
  type JoinedList,
  type NamedContact,
  type WrittenContact,
  writeNamedContact,
  writeNamedContacts,
} from './write-named-contacts.ts'
export { writeMemberships } from './write-memberships.ts'
export {
  incrementConsentVersion,
  incrementConsentVersions,
  confirmContacts,
  loadTagKeys,
  lockContacts,
  lockContactsByKey,
  mergeMetadata,
} from './write-queries.ts'
export { suppressionOf } from './suppression-rules.ts'
export { contactVariables, type TemplateContact } from './contact-variables.ts'
export {
  type Groups,
  keepContacts,
  lastPlace,
  readGroups,
  readRecipients,
  type Recipient,
  shareContacts,
} from './recipients-queries.ts'
