export { type AppliedChange, applyChange } from './apply-change.ts'
export { CONTACT_LIMITS, MAX_FIRST_NAME_LENGTH } from './contact-limits.ts'
export { Contact, ContactTag, FormerAddress, Suppression, ContactCounter } from './entities.ts'
export { MAX_METADATA_BYTES, splitMetadata } from './metadata.ts'
export { addressesByExternalId, type ContactProfile, findContactIdByName } from './queries.ts'
export { checkContact } from './check-contact.ts'
export { type ContactInput, upsertContact, upsertManyContacts } from './upsert-contacts.ts'
export { updateContact } from './update-contact.ts'
export type { ErasedContact, Erasure } from './erasure.ts'
export { exportWorkspace } from './export-workspace.ts'
export { getContact } from './search-contacts.ts'
export { addressIdIn, CONTACT_PARAM, resolveContactId, readName } from './contact-param.ts'
export { CONTACT_NOT_FOUND, CONFLICT_ERRORS, EXTERNAL_ID_TAKEN } from './errors.ts'
export { contactFields } from './schemas.ts'
export { MAX_TAG_LENGTH } from './tag.ts'
export {
  SUPPRESSED_ERRORS,
  CONTACT_SUPPRESSED_BY,
  type ContactSuppressedBy,
  type SuppressedBy,
  suppressedBy,
  suppressedContacts,
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
  lockAddress,
  lockAddressesShared,
  suppressionsOf,
  suppressHashes,
  suppressionPage,
  type SuppressionRow,
} from './suppression-queries.ts'
export {
  type ContactName,
  type JoinedList,
  type NamedContact,
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
export { addressIdOf, isAddressId } from './address-id.ts'
export {
  addressKeysOf,
  contactsByKey,
  lockContactsAgainstErasure,
  lastPosition,
  readAddress,
  readGroups,
  readRecipients,
  type Recipient,
  lockContactsShared,
} from './recipients-queries.ts'
