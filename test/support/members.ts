import { createInvitation } from '../../src/accounts/invitations.ts'
import { Account, Member } from '../../src/accounts/entities.ts'
import { beginSession } from '../../src/accounts/sessions.ts'
import { createPasswords } from '../../src/platform/passwords.ts'
import type { Operation } from '../../src/http/operation.ts'
import type { Role } from '../../src/http/roles.ts'
import { type BrowserLike, openBrowser } from './browser-like.ts'
import type { CallOptions, Service } from './service.ts'

export const PASSWORD = 'correct horse battery'

let passwordHash: Promise<string> | undefined
let count = 0

/** Creates an invitation link to the service's workspace. @returns its fragment (after the #) */
export const aLink = async (service: Service, role: Role = 'owner', email?: string): Promise<string> =>
  (await createInvitation(service.context.orm.em.fork(), { workspaceIds: [service.workspaceId], role, email })).token

export interface SignedInMember {
  browser: BrowserLike
  email: string
  accountId: string
}

/** Creates a member of a workspace who is signed in. */
export async function aMember(
  service: Service,
  role: Role = 'owner',
  workspaceId = service.workspaceId,
): Promise<SignedInMember> {
  const unit = service.context.orm.em.fork()
  const email = `member-${(count += 1)}-${process.pid}@example.com`
  passwordHash ??= createPasswords().hash(PASSWORD)
  const account = unit.create(Account, { email, emailKey: email, passwordHash: await passwordHash })
  unit.create(Member, { workspace: workspaceId, account, role })
  await unit.flush()
  const browser = openBrowser(service)
  const prefix = service.context.config.PUBLIC_URL?.startsWith('https:') ? '__Host-' : ''
  browser.cookie = `${prefix}dripline=${await beginSession(unit, account.id, 'A test')}`
  return { browser, email, accountId: account.id }
}

/**
 * Returns call options with the credentials that an operation requires: the key of the service, the session of a new member, or no
 * credentials if it is open to anyone.
 */
export async function credentialsFor(
  service: Service,
  { scope, open }: Pick<Operation, 'scope' | 'open'>,
): Promise<CallOptions> {
  if (scope !== undefined) return {}
  if (open === 'anybody') return { key: null, headers: openBrowser(service).headers(undefined) }
  return { key: null, headers: (await aMember(service)).browser.headers(open ? undefined : service.workspaceId) }
}
