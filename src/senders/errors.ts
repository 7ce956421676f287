import { defineError } from '../platform/api-error.ts'

export const SECRETS_KEY_MISSING = defineError(
  'taken',
  'secrets_key_missing',
  'This is stored encrypted, but SECRETS_KEY is not set. Set it for the API and the workers.',
)
export const FROM_ADDRESS_MISSING = defineError(
  'taken',
  'from_address_missing',
  'Mail is signed for the domain of its sender. Set a fromAddress first.',
)
