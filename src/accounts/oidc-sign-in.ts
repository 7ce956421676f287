import type { Visitor } from '../http/index.ts'
import type { Log } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { emailKey, isEmailAddress } from '../platform/email-address.ts'
import type { Oidc } from '../platform/oidc.ts'
import { ApiError } from '../platform/api-error.ts'
import { beginChallenge, takeChallenge } from './challenges.ts'
import { Account, Identity } from './entities.ts'
import { lockAccount } from './lock-account.ts'
import { joinByInvitation } from './invitations.ts'
import { OIDC_NOT_CONFIGURED, NOT_INVITED, OIDC_FAILED } from './errors.ts'
import { beginSession } from './sessions.ts'
import { resetCredentials } from './reset-credentials.ts'
import { recordUse } from './write-audit-entry.ts'
import { hashToken } from './tokens.ts'
import { limitSignInStarts } from './rate-limits.ts'

/** Path of the redirect URI, which the provider must allow exactly. */
const CALLBACK_PATH = '/sign-in/callback'

/** @throws {ApiError} `oidc_not_configured` */
function requireOidc(oidc: Oidc | undefined): Oidc {
  if (!oidc) throw new ApiError(OIDC_NOT_CONFIGURED)
  return oidc
}

/**
 * Starts single sign-on.
 *
 * @param invitation token of an invitation to accept
 * @returns the URL to send the browser to, and the state that it must return
 * @throws {ApiError} `oidc_not_configured`; `oidc_failed`; `too_many_attempts`
 */
export async function beginOidcSignIn(
  em: EntityManager,
  oidc: Oidc | undefined,
  invitation: string | undefined,
  visitor: Visitor,
): Promise<{ url: string; state: string }> {
  const service = requireOidc(oidc)
  await limitSignInStarts(em, visitor)
  const redirectUri = visitor.origin + CALLBACK_PATH
  const { verifier, nonce, urlWith } = await service.begin(redirectUri).catch(() => {
    const message = `${service.name} does not respond. Try again, or sign in another way.`
    throw new ApiError(OIDC_FAILED, { message })
  })
  // Only the hash of an invitation is stored.
  const link = invitation === undefined ? null : hashToken(invitation)
  const data = { verifier, nonce, redirectUri, ...(link && { link: link.toString('base64') }) }
  const state = await beginChallenge(em.fork(), 'oidc', { data })
  return { url: urlWith(state), state }
}

/**
 * Completes single sign-on. Signs in people whom the provider identified before, who have an account with the email address that
 * it verified, or who have an invitation.
 *
 * @param query query of the redirect URI
 * @param state state in the browser's cookie. It differs or is missing if another site started the flow (CSRF).
 * @returns the cookie value of the session
 * @throws {ApiError} `oidc_not_configured`; `oidc_failed`; `not_invited`; `invited_another`; `invitation_not_found`
 */
export async function completeOidcSignIn(
  { em, oidc, log }: { em: EntityManager; oidc: Oidc | undefined; log: Log },
  { query, state }: { query: string; state: string | undefined },
  visitor: Visitor,
): Promise<string> {
  const service = requireOidc(oidc)
  const kept = state === undefined ? undefined : await takeChallenge(em.fork(), 'oidc', state)
  if (kept === undefined || state === undefined) throw new ApiError(OIDC_FAILED)
  const { verifier = '', nonce = '', redirectUri = '', link } = kept
  const claims = await service.finish(query, { verifier, nonce, redirectUri, state }).catch(() => {
    throw new ApiError(OIDC_FAILED)
  })
  return em.fork().transactional(async (unit) => {
    const { issuer, subject } = claims
    const email = claims.email !== undefined && isEmailAddress(claims.email) ? claims.email : undefined
    const known = await findKnown(unit, issuer, subject)
    const accountId = known?.account.id ?? (email === undefined ? undefined : await claimByEmail(unit, email, issuer))
    const who = accountId !== undefined ? { accountId } : email !== undefined ? { email } : undefined
    const joined =
      link === undefined || !who ? accountId : await joinByInvitation(unit, Buffer.from(link, 'base64'), visitor, who)
    if (joined === undefined) throw new ApiError(NOT_INVITED)
    if (!known) {
      unit.create(Identity, { issuer, subject, account: unit.getReference(Account, joined) })
      await unit.flush()
    }
    await recordUse(unit, log, 'completeOidcSignIn', await unit.findOneOrFail(Account, joined), visitor)
    return beginSession(unit, joined, visitor.userAgent)
  })
}

/** Finds an identity that signed in before. Rereads it after locking the account, in case it was deleted in the meantime. */
async function findKnown(unit: EntityManager, issuer: string, subject: string): Promise<Identity | null> {
  const found = await unit.findOne(Identity, { issuer, subject })
  if (!found) return null
  await lockAccount(unit, found.account.id)
  return unit.findOne(Identity, { issuer, subject }, { refresh: true })
}

/**
 * Finds the account of an email address that the provider verified, on its first single sign-on. Revokes its other credentials,
 * because its creator never proved that they own the address.
 */
async function claimByEmail(unit: EntityManager, email: string, issuer: string): Promise<string | undefined> {
  const named = await unit.findOne(Account, { emailKey: emailKey(email) })
  const account = named && (await lockAccount(unit, named.id))
  if (!account) return undefined
  // Another subject had this email address before, so this is a different person.
  if (await unit.findOne(Identity, { issuer, account })) throw new ApiError(NOT_INVITED, { message: KNOWN_BY_ANOTHER })
  await resetCredentials(unit, account.id, null)
  return account.id
}

const KNOWN_BY_ANOTHER =
  'The account with this email address belongs to another single sign-on identity. Ask an owner for an invitation to another address.'
