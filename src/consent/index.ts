export { ListOptOut, Suppression } from './entities.ts'
export { preferencesPages } from './page-routes.ts'
export { forgetAddresses, lockContact } from './queries.ts'
export { afterSuppressing, suppressAddress, suppressMany } from './suppress.ts'
