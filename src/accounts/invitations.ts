import { LockMode } from '@mikro-orm/core'
import { enqueueInvitation } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { emailKey } from '../platform/email-address.ts'
import { isId } from '../platform/ids.ts'
import { notFound, ApiError } from '../platform/api-error.ts'
import { listWorkspaces, lockWorkspaces, type Role, Workspace } from '../workspaces/index.ts'
import { Account, Invitation, InvitationWorkspace, MailedInvitation, Member } from './entities.ts'
import { assertGoodPassword, type Passwords } from '../platform/passwords.ts'
import { lockAccount } from './lock-account.ts'
import { hasNoAccounts } from './members.ts'
import { joinWorkspaces } from './queries.ts'
import { INVITATION_NOT_FOUND, INVITED_ANOTHER, TOO_MANY_INVITATIONS, WRONG_CREDENTIALS } from './errors.ts'
import { beginSession } from './sessions.ts'
import { assertPasswordUnchanged } from './sign-in.ts'
import { resetCredentials } from './reset-credentials.ts'
import { writeAuditEntry } from './write-audit-entry.ts'
import { hashToken, newToken } from './tokens.ts'
import { limitSignInStarts, limitSignInAttempts, type RequestOrigin } from './rate-limits.ts'

/** Lifetime of an invitation. */
const LIFE_MS = 7 * 86_400_000
/** Maximum number of open invitations per workspace. */
const MAX_INVITATIONS = 100

export interface NewInvitation {
  workspaceIds: readonly string[]
  role: Role
  /** The invited address. Without one, any holder of the link may accept. */
  email?: string | undefined
  /** The inviting account; none for the CLI. */
  invitedBy?: string | undefined
  /** The invitation becomes invalid once an account exists. */
  isFirst?: boolean
  /** Whether the link is emailed to the address. */
  isMailed?: boolean
}

/**
 * Creates a single-use invitation.
 *
 * @returns the invitation and its token, which is not stored
 * @throws {ApiError} `not_found` if a workspace does not exist; `too_many_invitations`
 */
export async function createInvitation(
  em: EntityManager,
  { workspaceIds, role, email, invitedBy, isFirst = false, isMailed = false }: NewInvitation,
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
  if (isMailed) await enqueueInvitation(unit, invitation.id)
  return { invitation, token }
}

/** An invitation to email. */
export interface InvitationMail {
  email: string
  token: string
  workspaceName: string
  /** The address of the inviting owner. */
  invitedBy: string | null
}

/**
 * Creates a link of an invitation for its email. Each attempt has its own, because tokens are not stored; earlier ones stay valid.
 * @returns `undefined` if the invitation is no longer open
 */
export async function mailInvitation(em: EntityManager, id: string): Promise<InvitationMail | undefined> {
  const unit = em.fork()
  const isOpen = { id, email: { $ne: null }, expiresAt: { $gt: new Date() } }
  const invitation = await unit.findOne(Invitation, isOpen, { populate: ['invitedBy'] })
  const workspaces = invitation ? await unit.find(InvitationWorkspace, { invitation }, { populate: ['workspace'] }) : []
  const [to] = workspaces
  if (!invitation || !to || !(await ownerCheck(unit, workspaces))(invitation)) return undefined
  const token = newToken()
  unit.create(MailedInvitation, { tokenHash: hashToken(token)!, invitation })
  await unit.flush()
  const { email, invitedBy } = invitation
  return { email: email!, token, workspaceName: to.workspace.name, invitedBy: invitedBy?.email ?? null }
}

/**
 * Accepts an invitation and signs in, in one transaction that consumes the invitation. Creates an account or uses the existing
 * account of the email, which requires its password. An invitation that the CLI created for an email address resets the password
 * instead.
 *
 * @returns the cookie value of the session, and the workspaces
 * @throws {ApiError} `invitation_not_found`; `invited_another`; `weak_password`; `wrong_credentials` if the account exists and
 * has another password; `too_many_attempts`
 */
export async function acceptInvitation(
  em: EntityManager,
  passwords: Passwords,
  { token, email, password }: { token: string; email: string; password: string },
  from: RequestOrigin,
): Promise<{ session: string; workspaceIds: string[] }> {
  const given = email.trim()
  const key = emailKey(given)
  // Check the link first, so that a visitor without one cannot find out whether an account exists.
  const { invitation } = await findInvitation(em, token)
  assertFor(invitation, key)
  const before = await em.fork().findOne(Account, { emailKey: key })
  const isNewPassword = !before || isReset(invitation)
  if (isNewPassword) {
    // Hashing a password is as expensive as checking one.
    await limitSignInStarts(em, from)
    assertGoodPassword(password, given)
  } else {
    // A link has 256 bits and cannot be guessed, but the password of an existing account can.
    await limitSignInAttempts(em, key, from)
    if (!(await passwords.check(password, before.passwordHash ?? null))) throw new ApiError(WRONG_CREDENTIALS)
  }
  const passwordHash = isNewPassword ? await passwords.hash(password) : null
  return em.fork().transactional(async (unit) => {
    // Lock order: the account first, as in single sign-on and `endAllSessions`.
    if (before) await lockAccount(unit, before.id)
    const { role, workspaceIds } = await consume(unit, hashToken(token), key)
    const account = before ?? unit.create(Account, { email: given, emailKey: key, passwordHash })
    await unit.flush()
    if (before && isNewPassword) await resetCredentials(unit, account.id, passwordHash)
    else if (before) await assertPasswordUnchanged(unit, before)
    await joinWorkspaces(unit, account.id, workspaceIds, role)
    // The reset concerns all workspaces of the account.
    if (before && isNewPassword) await writeAuditEntry(unit, 'resetPassword', account, from)
    await writeAuditEntry(unit, 'acceptInvitation', account, from, { workspaceIds })
    return { session: await beginSession(unit, account.id, from.userAgent), workspaceIds }
  })
}

/** Checks whether an invitation resets the password: an operator created it for this email address, to recover the account. */
const isReset = ({ isFirst, invitedBy, emailKey: invited }: Invitation): boolean =>
  !isFirst && invitedBy == null && invited != null

/** @throws {ApiError} `invited_another` @param key key of the visitor's email address */
function assertFor({ emailKey: invited }: { emailKey?: string | null | undefined }, key: string): void {
  if (invited != null && invited !== key) throw new ApiError(INVITED_ANOTHER, { param: '/email' })
}

/**
 * Consumes an invitation.
 *
 * @throws {ApiError} `invitation_not_found`; `invited_another`
 * @param key key of the visitor's email address
 */
async function consume(
  transaction: EntityManager,
  tokenHash: Buffer | null,
  key: string,
): Promise<{ role: Role; workspaceIds: string[] }> {
  const { invitation, workspaces } = await readInvitation(transaction, tokenHash, { lock: true })
  assertFor(invitation, key)
  await transaction.nativeDelete(Invitation, { id: invitation.id })
  return { role: invitation.role, workspaceIds: workspaces.map(({ id }) => id) }
}

/**
 * Accepts an invitation after single sign-on, with an existing account or a new one without a password.
 * @returns the account's ID
 * @throws {ApiError} `invitation_not_found`; `invited_another`
 */
export async function joinByInvitation(
  transaction: EntityManager,
  tokenHash: Buffer,
  from: RequestOrigin,
  who: { accountId: string } | { email: string },
): Promise<string> {
  const known = 'accountId' in who ? await transaction.findOneOrFail(Account, who.accountId) : undefined
  const email = 'email' in who ? who.email : known!.email
  // Before the account is created: an invitation for the first account is valid only while there is none.
  const { role, workspaceIds } = await consume(transaction, tokenHash, emailKey(email))
  const account = known ?? transaction.create(Account, { email, emailKey: emailKey(email), passwordHash: null })
  await transaction.flush()
  await joinWorkspaces(transaction, account.id, workspaceIds, role)
  await writeAuditEntry(transaction, 'acceptInvitation', account, from, { workspaceIds })
  return account.id
}

/**
 * Creates an invitation for the first owner, who owns all workspaces. It is printed when the service starts, and becomes invalid
 * once an account exists.
 *
 * @returns its token, or `undefined` if an account exists
 */
export async function createFirstInvitation(em: EntityManager): Promise<string | undefined> {
  if (!(await hasNoAccounts(em))) return undefined
  const workspaceIds = (await listWorkspaces(em)).map(({ id }) => id)
  return (await createInvitation(em, { workspaceIds, role: 'owner', isFirst: true })).token
}

/** Returns the URL of an invitation. @param origin such as `http://localhost:3000` */
export const invitationUrl = (origin: string, token: string): string => `${origin.replace(/\/+$/, '')}/join#${token}`

/** Finds the invitation of a token, with its workspaces. @throws {ApiError} `invitation_not_found` */
export const findInvitation = (em: EntityManager, token: string): Promise<InvitationDetails> =>
  readInvitation(em.fork(), hashToken(token))

interface InvitationDetails {
  invitation: Invitation
  workspaces: Workspace[]
}

/**
 * Reads a valid invitation. @throws {ApiError} `invitation_not_found`
 *
 * @param options.lock whether this transaction consumes the invitation. Race: two visitors accept one invitation, or two first
 *   ones, concurrently. Guard: lock of the invitation's row and of all workspaces. Test: "lets one of several concurrent
 *   requests accept an invitation".
 */
async function readInvitation(
  unit: EntityManager,
  tokenHash: Buffer | null,
  { lock = false } = {},
): Promise<InvitationDetails> {
  const hash = tokenHash ?? Buffer.alloc(0)
  const mailed = await unit.findOne(MailedInvitation, { tokenHash: hash })
  const isOpen = { ...(mailed ? { id: mailed.invitation.id } : { tokenHash: hash }), expiresAt: { $gt: new Date() } }
  const invitation = await unit.findOne(Invitation, isOpen, lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {})
  if (lock && invitation?.isFirst) await lockWorkspaces(unit)
  if (!invitation || (invitation.isFirst && !(await hasNoAccounts(unit))))
    throw new ApiError(INVITATION_NOT_FOUND, { param: '/token' })
  const to = await unit.find(InvitationWorkspace, { invitation }, { populate: ['workspace'] })
  if (!(await ownerCheck(unit, to))(invitation)) throw new ApiError(INVITATION_NOT_FOUND, { param: '/token' })
  return { invitation, workspaces: to.map(({ workspace }) => workspace) }
}

/** Creates a check whether the account that created an invitation is still an owner. */
async function ownerCheck(
  unit: EntityManager,
  to: readonly InvitationWorkspace[],
): Promise<(invitation: Invitation) => boolean> {
  const workspaceIds = to.map(({ workspace }) => workspace.id)
  const owners = await unit.find(Member, { workspace: { $in: workspaceIds }, role: 'owner' })
  const ids = new Set(owners.map(({ account }) => account.id))
  return ({ invitedBy }) => invitedBy == null || ids.has(invitedBy.id)
}

/** Lists the valid invitations to a workspace, newest first. */
export async function listInvitations(em: EntityManager, workspaceId: string): Promise<Invitation[]> {
  const unit = em.fork()
  const to = await unit.find(
    InvitationWorkspace,
    // The link for the first account is invalid as soon as anyone can list invitations.
    { workspace: workspaceId, invitation: { isFirst: false, expiresAt: { $gt: new Date() } } },
    { populate: ['invitation'], orderBy: { invitation: { id: 'desc' } } },
  )
  return to.map(({ invitation }) => invitation).filter(await ownerCheck(unit, to))
}

/** Revokes an invitation. @returns whether it existed */
export async function revokeInvitation(em: EntityManager, workspaceId: string, id: string): Promise<boolean> {
  if (!isId(id)) return false
  const unit = unitOf(em)
  const to = await unit.findOne(InvitationWorkspace, { workspace: workspaceId, invitation: id })
  return to !== null && (await unit.nativeDelete(Invitation, { id })) > 0
}
