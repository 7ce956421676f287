import { oidcOperations } from './oidc-routes.ts'
import { memberOperations } from './member-routes.ts'
import { passkeyOperations } from './passkey-routes.ts'
import { sessionOperations } from './session-routes.ts'

/** Operations for accounts, sessions, passkeys, single sign-on and members. */
export const accountOperations = [...sessionOperations, ...passkeyOperations, ...oidcOperations, ...memberOperations]
