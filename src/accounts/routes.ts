import { oidcOperations } from './oidc-routes.ts'
import { memberOperations } from './member-routes.ts'
import { passkeyOperations } from './passkey-routes.ts'
import { sessionOperations } from './session-routes.ts'

/** What people do who sign in. */
export const accountOperations = [...sessionOperations, ...passkeyOperations, ...oidcOperations, ...memberOperations]
