import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { emailKey } from '../platform/email-address.ts'
import { isId } from '../platform/ids.ts'
import { notFound, ApiError } from '../platform/api-error.ts'
import { listWorkspaces, lockWorkspaces, type Role, Workspace } from '../workspaces/index.ts'
import { Account, Invitation, InvitationWorkspace, Member } from './entities.ts'
import { assertGoodPassword, type Passwords } from '../platform/passwords.ts'
import { lockAccount } from './lock-account.ts'
import { hasNoAccounts } from './members.ts'
import { joinWorkspaces } from './queries.ts'
import { INVITATION_NOT_FOUND, INVITED_ANOTHER, TOO_MANY_INVITATIONS, WRONG_CREDENTIALS } from './errors.ts'
import { beginSession } from './sessions.ts'
import { assertPasswordStill } from './sign-in.ts'
import { resetCredentials } from './reset-credentials.ts'
import { writeAuditEntry } from './write-audit-entry.ts'
import { hashToken, newToken } from './tokens.ts'
import { limitSignInStarts, limitSignInAttempts, type From } from './rate-limits.ts'

/** How long a link may be used, in milliseconds. */
const LIFE_MS = 7 * 86_400_000
/** To one workspace, that nobody has accepted. */
const MAX_INVITATIONS = 100

export interface NewInvitation {
  workspaceIds: readonly string[]
  role: Role
  /** Whom it is for; whoever has the link, where nothing is said. */
  email?: string | undefined
  /** The account that invites; the command line where nothing is said. */
  invitedBy?: string | undefined
  /** Worth nothing as soon as somebody has an account. */
  isFirst?: boolean
}

/**
 * Makes a link by which somebody becomes a member, once. @returns it together with its token, which is nowhere to be had again.
 * @throws {ApiError} `not_found` where there is no such workspace; `too_many_invitations`
 */
export async function invite(
  em: EntityManager,
  { workspaceIds, role, email, invitedBy, isFirst = false }: NewInvitation,
): Promise<{ invitation: Invitation; token: string }> {
  const unit = unitOf(em)
  const workspaces = await unit.find(Workspace, { id: { $in: [...workspaceIds] } })
  const missing = workspaceIds.find((id) => !workspaces.some((workspace) => workspace.id === id))
  if (missing !== undefined) throw notFound(`There is no workspace ${missing}`)
  if (invitedBy !== undefined) {
    const isOpen = { expiresAt: { $gt: new Date() } }
    const open = await unit.count(InvitationWorkspace, { workspace: { $in: [...workspaceIds] }, invitation: isOpen })
    if (open >= MAX_INVITATIONS) throw new ApiError(TOO_MANY_INVITATIONS)
  }
  const token = newToken()
  const invitation = unit.create(Invitation, {
    tokenHash: hashToken(token)!,
    email: email ?? null,
    emailKey: email === undefined ? null : emailKey(email),
    role,
    isFirst,
    invitedBy: invitedBy === undefined ? null : unit.getReference(Account, invitedBy),
    expiresAt: new Date(Date.now() + LIFE_MS),
  })
  for (const workspace of workspaces) unit.create(InvitationWorkspace, { invitation, workspace })
  await unit.flush()
  return { invitation, token }
}

/**
 * Makes a member of whoever has a link, and signs them in: with a new account, or with the one of that email, whose password
 * it takes then, or is given anew where the link was made for that at the command line. Both in one transaction, which uses the link up.
 *
 * @returns what the session's cookie holds, and the workspaces.
 * @throws {ApiError} `invitation_not_found`; `invited_another`; `weak_password`; `wrong_credentials` where the account is there, and
 *   has another password; `too_many_attempts`
 */
export async function acceptInvitation(
  em: EntityManager,
  passwords: Passwords,
  { token, email, password }: { token: string; email: string; password: string },
  from: From,
): Promise<{ session: string; workspaceIds: string[] }> {
  const given = email.trim()
  const key = emailKey(given)
  // First, so that who has no link learns nothing of whoever has an account.
  const { invitation } = await findOffer(em, token)
  assertFor(invitation, key)
  const before = await em.fork().findOne(Account, { emailKey: key })
  const isNewPassword = !before || isReset(invitation)
  if (isNewPassword) {
    // To hash it takes as long as to check one.
    await limitSignInStarts(em, from)
    assertGoodPassword(password, given)
  } else {
    // A link is 256 bits; what can be guessed is the password of an account that is there.
    await limitSignInAttempts(em, key, from)
    if (!(await passwords.check(password, before.passwordHash ?? null))) throw new ApiError(WRONG_CREDENTIALS)
  }
  const passwordHash = isNewPassword ? await passwords.hash(password) : null
  return em.fork().transactional(async (unit) => {
    // First, as by whoever signs in by another service, or ends what an account has made.
    if (before) await lockAccount(unit, before.id)
    const { role, workspaceIds } = await takeUp(unit, hashToken(token), key)
    const account = before ?? unit.create(Account, { email: given, emailKey: key, passwordHash })
    await unit.flush()
    if (before && isNewPassword) await resetCredentials(unit, account.id, passwordHash)
    else if (before) await assertPasswordStill(unit, before)
    await joinWorkspaces(unit, account.id, workspaceIds, role)
    // Who has it anew has it in all of the account's workspaces.
    if (before && isNewPassword) await writeAuditEntry(unit, 'resetPassword', account, from)
    await writeAuditEntry(unit, 'acceptInvitation', account, from, { workspaceIds })
    return { session: await beginSession(unit, account.id, from.userAgent), workspaceIds }
  })
}

/**
 * Whether a link gives its account a new password: where whoever runs the service has made it for that very email, which is the way back
 * in for somebody who has forgotten theirs.
 */
const isReset = ({ isFirst, invitedBy, emailKey: invited }: Invitation): boolean =>
  !isFirst && invitedBy == null && invited != null

/** @throws {ApiError} `invited_another` @param key of the email of whoever has the link */
function assertFor({ emailKey: invited }: { emailKey?: string | null | undefined }, key: string): void {
  if (invited != null && invited !== key) throw new ApiError(INVITED_ANOTHER, { param: '/email' })
}

/** @throws {ApiError} `invitation_not_found`; `invited_another` @param key of the email of whoever has the link */
async function takeUp(
  transaction: EntityManager,
  tokenHash: Buffer | null,
  key: string,
): Promise<{ role: Role; workspaceIds: string[] }> {
  const { invitation, workspaces } = await readOffer(transaction, tokenHash, { lock: true })
  assertFor(invitation, key)
  await transaction.nativeDelete(Invitation, { id: invitation.id })
  return { role: invitation.role, workspaceIds: workspaces.map(({ id }) => id) }
}

/**
 * Makes a member of whoever has a link and is known by another service: with their account, or with a new one that has no password.
 * @returns the account's id. @throws {ApiError} `invitation_not_found`; `invited_another`
 */
export async function joinByInvitation(
  transaction: EntityManager,
  tokenHash: Buffer,
  from: From,
  who: { accountId: string } | { email: string },
): Promise<string> {
  const known = 'accountId' in who ? await transaction.findOneOrFail(Account, who.accountId) : undefined
  const email = 'email' in who ? who.email : known!.email
  // Before there is another account: the first link is for when there is none.
  const { role, workspaceIds } = await takeUp(transaction, tokenHash, emailKey(email))
  const account = known ?? transaction.create(Account, { email, emailKey: emailKey(email), passwordHash: null })
  await transaction.flush()
  await joinWorkspaces(transaction, account.id, workspaceIds, role)
  await writeAuditEntry(transaction, 'acceptInvitation', account, from, { workspaceIds })
  return account.id
}

/**
 * Makes a link for the first owner, who owns all workspaces there are: it is printed where the service is started, and is worth
 * nothing as soon as there is an account. @returns its token; `undefined` where somebody can sign in already
 */
export async function inviteFirst(em: EntityManager): Promise<string | undefined> {
  if (!(await hasNoAccounts(em))) return undefined
  const workspaceIds = (await listWorkspaces(em)).map(({ id }) => id)
  return (await invite(em, { workspaceIds, role: 'owner', isFirst: true })).token
}

/** Where a link's page is. @param origin such as `http://localhost:3000` */
export const linkOf = (origin: string, token: string): string => `${origin.replace(/\/+$/, '')}/join#${token}`

/** What a link is to. @throws {ApiError} `invitation_not_found` */
export const findOffer = (em: EntityManager, token: string): Promise<Offer> => readOffer(em.fork(), hashToken(token))

interface Offer {
  invitation: Invitation
  workspaces: Workspace[]
}

/**
 * Reads an invitation that may be used. @throws {ApiError} `invitation_not_found`
 *
 * @param options.lock whether it is used up in this transaction. Race: two use one link, or two first links, at the same moment. Guard:
 *   the lock of the invitation's row, and of all workspaces. Test: "lets one of two who accept at the same moment in".
 */
async function readOffer(unit: EntityManager, tokenHash: Buffer | null, { lock = false } = {}): Promise<Offer> {
  const isOpen = { tokenHash: tokenHash ?? Buffer.alloc(0), expiresAt: { $gt: new Date() } }
  const invitation = await unit.findOne(Invitation, isOpen, lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {})
  if (lock && invitation?.isFirst) await lockWorkspaces(unit)
  if (!invitation || (invitation.isFirst && !(await hasNoAccounts(unit))))
    throw new ApiError(INVITATION_NOT_FOUND, { param: '/token' })
  const to = await unit.find(InvitationWorkspace, { invitation }, { populate: ['workspace'] })
  if (!(await ofOwners(unit, to))(invitation)) throw new ApiError(INVITATION_NOT_FOUND, { param: '/token' })
  return { invitation, workspaces: to.map(({ workspace }) => workspace) }
}

/** @returns whether whoever has made an invitation may still do so */
async function ofOwners(
  unit: EntityManager,
  to: readonly InvitationWorkspace[],
): Promise<(invitation: Invitation) => boolean> {
  const workspaceIds = to.map(({ workspace }) => workspace.id)
  const owners = await unit.find(Member, { workspace: { $in: workspaceIds }, role: 'owner' })
  const ids = new Set(owners.map(({ account }) => account.id))
  return ({ invitedBy }) => invitedBy == null || ids.has(invitedBy.id)
}

/** The invitations to a workspace that may still be used, newest first. */
export async function listInvitations(em: EntityManager, workspaceId: string): Promise<Invitation[]> {
  const unit = em.fork()
  const to = await unit.find(
    InvitationWorkspace,
    { workspace: workspaceId, invitation: { expiresAt: { $gt: new Date() } } },
    { populate: ['invitation'], orderBy: { invitation: { id: 'desc' } } },
  )
  return to.map(({ invitation }) => invitation).filter(await ofOwners(unit, to))
}

/** Takes an invitation back. @returns whether there was one. */
export async function revokeInvitation(em: EntityManager, workspaceId: string, id: string): Promise<boolean> {
  if (!isId(id)) return false
  const unit = unitOf(em)
  const to = await unit.findOne(InvitationWorkspace, { workspace: workspaceId, invitation: id })
  return to !== null && (await unit.nativeDelete(Invitation, { id })) > 0
}
