import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { emailKey } from '../platform/email-address.ts'
import { isId } from '../platform/ids.ts'
import { ApiError } from '../platform/api-error.ts'
import type { Role } from '../workspaces/index.ts'
import { revokeAllSessionsAndInvitations } from './revoke-all.ts'
import { requireRecentSignIn } from './require-recent-sign-in.ts'
import { Account, Member } from './entities.ts'
import { deleteInvitationsOf, lockOwners } from './queries.ts'
import { LAST_OWNER, MEMBER_NOT_FOUND } from './errors.ts'

/** Lists the members of a workspace, oldest first. */
export const listMembers = (em: EntityManager, workspaceId: string): Promise<Member[]> =>
  em
    .fork()
    .find(
      Member,
      { workspace: workspaceId },
      { populate: ['account'], orderBy: { createdAt: 'asc', account: { id: 'asc' } } },
    )

/**
 * Finds the accounts of members by their email addresses. An address that is given twice is returned once.
 *
 * @throws {ApiError} `member_not_found`, naming the first address that is not a member's
 */
export async function findMembersByEmail(
  em: EntityManager,
  workspaceId: string,
  emails: readonly string[],
): Promise<Account[]> {
  const members = await listMembers(em, workspaceId)
  const byKey = new Map(members.map(({ account }) => [account.emailKey, account]))
  const found = emails.map((email, index) => {
    const account = byKey.get(emailKey(email))
    if (account) return account
    const message = `${email} is not a member of this workspace. Use the address of a member`
    throw new ApiError(MEMBER_NOT_FOUND, { message, param: `/to/${index}` })
  })
  return [...new Set(found)]
}

/** Lists the members of all workspaces, by email. */
export const listAllMembers = (em: EntityManager): Promise<Member[]> =>
  em.fork().find(
    Member,
    {},
    {
      populate: ['account', 'workspace'],
      orderBy: { account: { emailKey: 'asc' }, workspace: { createdAt: 'asc' } },
    },
  )

/** Lists the memberships of an account, oldest workspace first. */
export const listMemberships = (em: EntityManager, accountId: string): Promise<Member[]> =>
  em
    .fork()
    .find(
      Member,
      { account: accountId },
      { populate: ['workspace'], orderBy: { workspace: { createdAt: 'asc', id: 'asc' } } },
    )

/** Checks that no account exists yet. */
export const hasNoAccounts = async (em: EntityManager): Promise<boolean> => (await unitOf(em).count(Account)) === 0

/** The person who makes the change. */
interface By {
  accountId: string
  sessionId: string
}

/**
 * Changes the role of a member. Changes to owners require a recent sign-in. Otherwise, a stolen session could lock out all owners
 * permanently.
 *
 * @throws {ApiError} `member_not_found`; `last_owner`; `sign_in_again`
 */
export const changeRole = (
  em: EntityManager,
  workspaceId: string,
  accountId: string,
  role: Role,
  by: By,
): Promise<Member> =>
  em.transactional(async (unit) => {
    const member = await findMember(unit, workspaceId, accountId, role === 'owner')
    if (role === 'owner' || member.role === 'owner') await requireRecentSignIn(unit, by.sessionId)
    member.role = role
    await unit.flush()
    if (role !== 'owner') await deleteInvitationsOf(unit, workspaceId, accountId)
    return member
  })

/**
 * Removes a member. Removing an owner, including oneself, requires a recent sign-in.
 *
 * @throws {ApiError} `member_not_found`; `last_owner`; `sign_in_again`
 */
export const removeMember = (em: EntityManager, workspaceId: string, accountId: string, by: By): Promise<void> =>
  em.transactional(async (unit) => {
    const member = await findMember(unit, workspaceId, accountId, false)
    if (member.role === 'owner') await requireRecentSignIn(unit, by.sessionId)
    unit.remove(member)
    await unit.flush()
    await deleteInvitationsOf(unit, workspaceId, accountId)
  })

/** Finds a member while holding the lock of the owners, so that one of two owners who leave concurrently stays. */
async function findMember(
  unit: EntityManager,
  workspaceId: string,
  accountId: string,
  staysOwner: boolean,
): Promise<Member> {
  if (!isId(accountId)) throw new ApiError(MEMBER_NOT_FOUND)
  const owners = await lockOwners(unit, workspaceId)
  const member = await unit.findOne(Member, { workspace: workspaceId, account: accountId }, { populate: ['account'] })
  if (!member) throw new ApiError(MEMBER_NOT_FOUND)
  if (!staysOwner && owners.length === 1 && owners[0] === accountId) throw new ApiError(LAST_OWNER)
  return member
}

/** Deletes all accounts, sessions and invitations, because a restored database may contain manipulated ones. */
export async function deleteAllAccounts(em: EntityManager): Promise<void> {
  const unit = em.fork()
  await revokeAllSessionsAndInvitations(unit)
  await unit.nativeDelete(Account, {})
}
