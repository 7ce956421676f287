import { array } from 'yup'
import {
  deleted,
  deleteResultResponse,
  missingRole,
  operation,
  RECENT_SIGN_IN_REQUIRED,
  single,
  ok,
  created,
  warn,
} from '../http/index.ts'
import { ApiError } from '../platform/api-error.ts'
import type { Caller, CallingPerson } from '../workspaces/index.ts'
import { requireRecentSignIn } from './require-recent-sign-in.ts'
import { mayMailInvitation } from './rate-limits.ts'
import { createInvitation, invitationUrl, listInvitations, revokeInvitation } from './invitations.ts'
import { changeRole, listMembers, removeMember } from './members.ts'
import { createOwnWorkspace } from './create-own-workspace.ts'
import {
  INVITATION_NOT_FOUND,
  LAST_OWNER,
  LIVE_FROM_LIVE,
  MEMBER_NOT_FOUND,
  TOO_MANY_INVITATIONS,
  TOO_MANY_WORKSPACES,
} from './errors.ts'
import { invitationInput, memberInput, newWorkspaceInput } from './schemas.ts'
import {
  membershipResponse,
  presentMembership,
  invitationResponse,
  memberResponse,
  newInvitationResponse,
  presentInvitation,
  presentMember,
} from './responses.ts'

const OWNERS = 'To add or remove an owner, you must have signed in within the last ten minutes.'

/** Warns about a link to the address at which the owner reached the dashboard. */
const NO_PUBLIC_URL =
  'The link leads to the address of this request, which may not work for others. Set PUBLIC_URL to the address that people use'

/** Returns the calling person. API keys cannot manage members. */
function personOf({ by }: Caller): CallingPerson {
  if (by.kind !== 'person') throw new ApiError(missingRole('owner'))
  return by.person
}

/** Operations on members and invitations. */
export const memberOperations = [
  operation({
    id: 'createWorkspace',
    method: 'POST',
    path: '/workspaces',
    tag: 'Members',
    summary: 'Create a workspace',
    description:
      'Creates an empty workspace that you own. Its mode cannot be changed. A test workspace captures all mail.',
    role: 'owner',
    body: newWorkspaceInput,
    responses: { 201: { description: 'Your membership in the new workspace.', schema: single(membershipResponse) } },
    errors: { 403: [LIVE_FROM_LIVE], 409: [TOO_MANY_WORKSPACES] },
    async handle({ caller, body, visitor }, { em }) {
      const { by } = caller
      if (by.kind !== 'person') throw new ApiError(missingRole('owner'))
      if (body.mode === 'live' && caller.workspace.mode === 'test') throw new ApiError(LIVE_FROM_LIVE)
      const member = await createOwnWorkspace(em, by.person, body, visitor)
      return created(presentMembership(member))
    },
  }),

  operation({
    id: 'listWorkspaceMembers',
    method: 'GET',
    path: '/members',
    tag: 'Members',
    summary: 'List members',
    description: 'Oldest first.',
    role: 'viewer',
    responses: { 200: { description: 'The members.', schema: single(array().of(memberResponse).required()) } },
    handle: async ({ caller }, { em }) => ok((await listMembers(em, caller.workspace.id)).map(presentMember)),
  }),

  operation({
    id: 'updateMember',
    method: 'PATCH',
    path: '/members/{id}',
    tag: 'Members',
    summary: 'Change the role of a member',
    description: `Takes effect with the next request. A workspace keeps at least one owner. ${OWNERS}`,
    role: 'owner',
    body: memberInput,
    responses: { 200: { description: 'The member.', schema: single(memberResponse) } },
    errors: { 401: [RECENT_SIGN_IN_REQUIRED], 404: [MEMBER_NOT_FOUND], 409: [LAST_OWNER] },
    handle: async ({ caller, params, body }, { em }) =>
      ok(presentMember(await changeRole(em, caller.workspace.id, params.id, body.role, personOf(caller)))),
  }),

  operation({
    id: 'removeMember',
    method: 'DELETE',
    path: '/members/{id}',
    tag: 'Members',
    summary: 'Remove a member',
    description: `The member loses access immediately. Members who are not owners can only remove themselves. ${OWNERS}`,
    role: 'viewer',
    responses: { 200: { description: 'Removed.', schema: single(deleteResultResponse) } },
    errors: { 401: [RECENT_SIGN_IN_REQUIRED], 403: [missingRole('owner')], 404: [MEMBER_NOT_FOUND], 409: [LAST_OWNER] },
    async handle({ caller, params }, { em }) {
      const by = personOf(caller)
      if (by.accountId !== params.id && by.role !== 'owner') throw new ApiError(missingRole('owner'))
      await removeMember(em, caller.workspace.id, params.id, by)
      return deleted(params.id)
    },
  }),

  operation({
    id: 'listInvitations',
    method: 'GET',
    path: '/invitations',
    tag: 'Members',
    summary: 'List invitations',
    description: 'Open invitations, newest first.',
    role: 'owner',
    responses: { 200: { description: 'The invitations.', schema: single(array().of(invitationResponse).required()) } },
    handle: async ({ caller }, { em }) => ok((await listInvitations(em, caller.workspace.id)).map(presentInvitation)),
  }),

  operation({
    id: 'invite',
    method: 'POST',
    path: '/invitations',
    tag: 'Members',
    summary: 'Create an invitation',
    description:
      'Creates a link that adds a member, once. It is valid for seven days, while you are an owner. ' +
      'Only this response contains the link. It is also emailed to the address, if there is one and the instance delivers mail, at most 10 times a minute. ' +
      OWNERS,
    role: 'owner',
    isSecret: true,
    body: invitationInput,
    responses: { 201: { description: 'The invitation, with its link.', schema: single(newInvitationResponse) } },
    errors: { 401: [RECENT_SIGN_IN_REQUIRED], 409: [TOO_MANY_INVITATIONS] },
    async handle({ caller, body, visitor }, { em, findPublicUrl, deliversMail }) {
      const { accountId: invitedBy, sessionId } = personOf(caller)
      if (body.role === 'owner') await requireRecentSignIn(em, sessionId)
      const isMailed = body.email !== undefined && (await deliversMail()) && (await mayMailInvitation(em, invitedBy))
      const { invitation, token } = await createInvitation(em, {
        ...body,
        workspaceIds: [caller.workspace.id],
        invitedBy,
        isMailed,
      })
      const publicUrl = await findPublicUrl()
      const answer = created({
        ...presentInvitation(invitation),
        link: invitationUrl(publicUrl ?? visitor.origin, token),
        isMailed,
      })
      return { ...answer, headers: warn(publicUrl === null ? [NO_PUBLIC_URL] : []) }
    },
  }),

  operation({
    id: 'revokeInvitation',
    method: 'DELETE',
    path: '/invitations/{id}',
    tag: 'Members',
    summary: 'Revoke an invitation',
    description: 'The link becomes invalid.',
    role: 'owner',
    responses: { 200: { description: 'Revoked.', schema: single(deleteResultResponse) } },
    errors: { 404: [INVITATION_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      if (!(await revokeInvitation(em, caller.workspace.id, params.id))) throw new ApiError(INVITATION_NOT_FOUND)
      return deleted(params.id)
    },
  }),
]
