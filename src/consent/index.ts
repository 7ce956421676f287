export { ListOptOut, Suppression } from './entities.ts'
export { preferencesPages } from './page-routes.ts'
export { forgetAddresses } from './queries.ts'
export { afterSuppressing, suppressAddress } from './suppress.ts'
