import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server'
import type { Visitor } from '../http/index.ts'
import type { Log } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { isId } from '../platform/ids.ts'
import { ApiError } from '../platform/api-error.ts'
import { requireRecentSignIn } from './require-recent-sign-in.ts'
import { beginChallenge, takeChallenge } from './challenges.ts'
import { Account, Passkey } from './entities.ts'
import { lockAccount } from './lock-account.ts'
import { PASSKEY_NOT_FOUND, PASSKEY_REFUSED, WRONG_PASSKEY } from './errors.ts'
import { beginSession } from './sessions.ts'
import { recordUse, writeAuditEntry } from './write-audit-entry.ts'
import { verifyRegistration } from './verify-registration.ts'
import { limitSignInStarts } from './rate-limits.ts'

/**
 * EdDSA, ES256 and RS256, which devices support. By default, the library also offers an experimental one, which logs a warning.
 */
const ALGORITHMS = [-8, -7, -257]

/** Returns the host that a key is bound to (Web Authentication Level 3, section 5.1.2). */
const hostOf = ({ origin }: Visitor): string => new URL(origin).hostname

/** Lists the passkeys of an account, oldest first. */
export const listPasskeys = (em: EntityManager, accountId: string): Promise<Passkey[]> =>
  em.fork().find(Passkey, { account: accountId }, { orderBy: { id: 'asc' } })

/** Starts adding a passkey. @returns the options for the browser */
export async function beginPasskey(
  em: EntityManager,
  { id, email }: { id: string; email: string },
  visitor: Visitor,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const challenge = await beginChallenge(em, 'new-passkey', { accountId: id })
  const passkeys = await listPasskeys(em, id)
  return generateRegistrationOptions({
    rpName: 'Dripline',
    rpID: hostOf(visitor),
    userName: email,
    userID: new TextEncoder().encode(id),
    challenge: Buffer.from(challenge, 'base64url'),
    attestationType: 'none',
    excludeCredentials: passkeys.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    supportedAlgorithmIDs: ALGORITHMS,
    // A passkey replaces both the email and the password: the device stores the account and verifies its owner.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** Adds the key that a device created. @throws {ApiError} `passkey_refused` */
export async function addPasskey(
  em: EntityManager,
  account: { id: string; email: string },
  { name, credential }: { name: string; credential: RegistrationResponseJSON },
  visitor: Visitor,
): Promise<Passkey> {
  const made = await verifyRegistration(credential, {
    expectedChallenge: async (challenge) =>
      (await takeChallenge(em.fork(), 'new-passkey', challenge, account.id)) !== undefined,
    expectedOrigin: visitor.origin,
    expectedRPID: hostOf(visitor),
    supportedAlgorithmIDs: ALGORITHMS,
  })
  if (!made) throw new ApiError(PASSKEY_REFUSED)
  const { id, publicKey, counter, transports = [] } = made.credential
  return em.fork().transactional(async (unit) => {
    await lockAccount(unit, account.id)
    if (await unit.findOne(Passkey, { credentialId: id })) throw new ApiError(PASSKEY_REFUSED)
    const passkey = unit.create(Passkey, {
      account: unit.getReference(Account, account.id),
      credentialId: id,
      publicKey: Buffer.from(publicKey),
      counter,
      transports,
      name,
      lastUsedAt: null,
    })
    await unit.flush()
    await writeAuditEntry(unit, 'addPasskey', account, visitor, { targetId: passkey.id })
    return passkey
  })
}

/**
 * Removes a passkey. Requires a recent sign-in, because it may be the only credential.
 *
 * @throws {ApiError} `passkey_not_found`; `sign_in_again`
 */
export const removePasskey = (
  em: EntityManager,
  { account, sessionId }: { account: { id: string; email: string }; sessionId: string },
  id: string,
  visitor: Visitor,
): Promise<void> =>
  em.fork().transactional(async (unit) => {
    // Race: a sign-in with this passkey. Guard: the lock of the account.
    await lockAccount(unit, account.id)
    await requireRecentSignIn(unit, sessionId)
    const removed = isId(id) ? await unit.nativeDelete(Passkey, { id, account: account.id }) : 0
    if (removed === 0) throw new ApiError(PASSKEY_NOT_FOUND)
    await writeAuditEntry(unit, 'removePasskey', account, visitor, { targetId: id })
  })

/**
 * Starts a sign-in with any passkey for this host. The response identifies the account.
 *
 * @throws {ApiError} `too_many_attempts`
 */
export async function beginPasskeySignIn(
  em: EntityManager,
  visitor: Visitor,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  await limitSignInStarts(em, visitor)
  const challenge = await beginChallenge(em, 'sign-in')
  return generateAuthenticationOptions({
    rpID: hostOf(visitor),
    challenge: Buffer.from(challenge, 'base64url'),
    userVerification: 'required',
  })
}

/** Signs in with the signature of a device. @returns the cookie value of the session @throws {ApiError} `wrong_passkey` */
export async function signInWithPasskey(
  { em, log }: { em: EntityManager; log: Log },
  credential: AuthenticationResponseJSON,
  visitor: Visitor,
): Promise<string> {
  const unit = em.fork()
  const passkey = await unit.findOne(Passkey, { credentialId: credential.id })
  if (!passkey) throw new ApiError(WRONG_PASSKEY)
  const { authenticationInfo, verified } = await verifyAuthenticationResponse({
    response: credential,
    expectedChallenge: async (challenge) => (await takeChallenge(em.fork(), 'sign-in', challenge)) !== undefined,
    expectedOrigin: visitor.origin,
    expectedRPID: hostOf(visitor),
    requireUserVerification: true,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(passkey.publicKey),
      counter: passkey.counter,
      transports: passkey.transports,
    },
  }).catch(() => ({ verified: false, authenticationInfo: undefined }))
  if (!verified || !authenticationInfo) throw new ApiError(WRONG_PASSKEY)
  const { newCounter } = authenticationInfo
  return em.fork().transactional(async (transaction) => {
    await lockAccount(transaction, passkey.account.id)
    const current = await transaction.findOne(Passkey, passkey.id)
    if (!current) throw new ApiError(WRONG_PASSKEY)
    Object.assign(current, { counter: newCounter, lastUsedAt: new Date() })
    await transaction.flush()
    const account = await transaction.findOneOrFail(Account, passkey.account.id)
    await recordUse(transaction, log, 'signInWithPasskey', account, visitor)
    return beginSession(transaction, account.id, visitor.userAgent)
  })
}
