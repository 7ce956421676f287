export { ErasedContact } from './entities.ts'
export { suppressAtErased, suppressOfErased } from './erased.ts'
export { isErasedContactOf } from './erased-queries.ts'
export { confirmationPages } from './confirm-routes.ts'
export { preferencesPages } from './page-routes.ts'
export { setPreferences } from './preferences.ts'
export { countActiveOf, eraseAddresses, lockContact } from './queries.ts'
export {
  afterSuppressing,
  afterSuppressingMany,
  suppressAddress,
  type SuppressedMany,
  type SuppressionInput,
  suppressMany,
} from './suppress.ts'
export { forRecipients } from './for-recipient.ts'
