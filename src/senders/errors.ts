import { defineError } from '../platform/api-error.ts'

/** The message is replaced by one that names the domain. */
export const DOMAIN_OF_ANOTHER = defineError(
  'taken',
  'domain_of_another',
  'Another workspace has proven that example.com is its domain. Send from a domain of your own.',
)
export const FROM_ADDRESS_MISSING = defineError(
  'taken',
  'from_address_missing',
  'Mail is signed for the domain of its sender. Set a fromAddress first.',
)
export const DKIM_SELECTOR_IN_USE = defineError(
  'taken',
  'dkim_selector_in_use',
  'Receivers still verify emails with the record of this selector. Choose a new selector.',
)
export const DKIM_KEY_MISSING = defineError(
  'taken',
  'dkim_key_missing',
  'There is no next DKIM key. Create one first: POST /sender/dkim.',
)
/** The message is replaced by one that names the record and its problem. */
export const DKIM_RECORD_MISSING = defineError(
  'taken',
  'dkim_record_missing',
  'The record dripline2._domainkey.example.com is not published yet. There is no such record.',
)
