import { defineError } from '../platform/api-error.ts'

export const SECRETS_KEY_MISSING = defineError(
  'taken',
  'secrets_key_missing',
  'This is kept encrypted, and there is nothing to encrypt it under: set SECRETS_KEY, for workers as well',
)
export const FROM_ADDRESS_MISSING = defineError(
  'taken',
  'from_address_missing',
  "Mail is signed for its sender's domain: give the workspace a fromAddress first",
)
