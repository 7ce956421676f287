import type { Visitor } from '../http/index.ts'
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
import { writeAuditEntry } from './write-audit-entry.ts'
import { hashToken } from './tokens.ts'
import { limitSignInStarts } from './rate-limits.ts'

/** Where the other service sends people back to: it has to be allowed there, word for word. */
const CALLBACK_PATH = '/sign-in/callback'

/** @throws {ApiError} `oidc_not_configured` */
function setUp(oidc: Oidc | undefined): Oidc {
  if (!oidc) throw new ApiError(OIDC_NOT_CONFIGURED)
  return oidc
}

/**
 * Begins to sign somebody in by another service.
 *
 * @param invitation the token of a link that is to be accepted so
 * @returns where to send the browser, and what it has to bring back besides.
 * @throws {ApiError} `oidc_not_configured`; `oidc_failed`; `too_many_attempts`
 */
export async function beginOidcSignIn(
  em: EntityManager,
  oidc: Oidc | undefined,
  invitation: string | undefined,
  visitor: Visitor,
): Promise<{ url: string; state: string }> {
  const service = setUp(oidc)
  await limitSignInStarts(em, visitor)
  const redirectUri = visitor.origin + CALLBACK_PATH
  const { verifier, nonce, urlWith } = await service.begin(redirectUri).catch(() => {
    const message = `${service.name} does not answer. Try again, or sign in in another way`
    throw new ApiError(OIDC_FAILED, { message })
  })
  // Of a link its hash alone is kept, as everywhere.
  const link = invitation === undefined ? null : hashToken(invitation)
  const data = { verifier, nonce, redirectUri, ...(link && { link: link.toString('base64') }) }
  const state = await beginChallenge(em.fork(), 'oidc', { data })
  return { url: urlWith(state), state }
}

/**
 * Signs somebody in who comes back from there: whoever has an account by the email that the other service has verified, or was signed
 * in by it before; or an invitation.
 *
 * @param query of the address to which they came back
 * @param state what their browser was given when they left: who was sent here by somebody else has another one, or none
 * @returns what the session's cookie holds.
 * @throws {ApiError} `oidc_not_configured`; `oidc_failed`; `not_invited`; `invited_another`; `invitation_not_found`
 */
export async function completeOidcSignIn(
  em: EntityManager,
  oidc: Oidc | undefined,
  { query, state }: { query: string; state: string | undefined },
  visitor: Visitor,
): Promise<string> {
  const service = setUp(oidc)
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
      await writeAuditEntry(unit, 'completeOidcSignIn', await unit.findOneOrFail(Account, joined), visitor)
    }
    return beginSession(unit, joined, visitor.userAgent)
  })
}

/** Whom it has signed in before: looked at again once nobody can end it any more. */
async function findKnown(unit: EntityManager, issuer: string, subject: string): Promise<Identity | null> {
  const found = await unit.findOne(Identity, { issuer, subject })
  if (!found) return null
  await lockAccount(unit, found.account.id)
  return unit.findOne(Identity, { issuer, subject }, { refresh: true })
}

/**
 * The account by the email that the other service has verified, the first time. What could sign in to it ends: whoever made it has
 * proven nothing, and could have been anybody.
 */
async function claimByEmail(unit: EntityManager, email: string, issuer: string): Promise<string | undefined> {
  const named = await unit.findOne(Account, { emailKey: emailKey(email) })
  const account = named && (await lockAccount(unit, named.id))
  if (!account) return undefined
  // Who has the email now is not who had it then.
  if (await unit.findOne(Identity, { issuer, account })) throw new ApiError(NOT_INVITED, { message: KNOWN_BY_ANOTHER })
  await resetCredentials(unit, account.id, null)
  return account.id
}

const KNOWN_BY_ANOTHER =
  'The account of this email belongs to somebody whom the other service knows otherwise. Ask an owner for an invitation by another email'
