import { defineEntity, p } from '@mikro-orm/core'
import { newId } from '../platform/ids.ts'
import { type Role, Workspace } from '../workspaces/index.ts'

const accountTable = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    email: p.text(),
    emailKey: p.text(),
    /** In the PHC string format. `null`: signs in by other means. */
    passwordHash: p.text().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})

/** A person who signs in: known by an address, one for all workspaces. */
export class Account extends accountTable.class {}
accountTable.setClass(Account)

const memberTable = defineEntity({
  name: 'Member',
  tableName: 'members',
  properties: {
    workspace: () => p.manyToOne(Workspace).primary(),
    account: () => p.manyToOne(Account).primary(),
    role: p.text().$type<Role>(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})

/** What an account may do in a workspace. */
export class Member extends memberTable.class {}
memberTable.setClass(Member)

const sessionTable = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    tokenHash: p.blob(),
    account: () => p.manyToOne(Account),
    userAgent: p.text().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    /** Up to a minute ago: not every request writes it. */
    lastUsedAt: p.datetime().onCreate(() => new Date()),
    expiresAt: p.datetime(),
  },
})

/** A browser that has signed in: the hash of what its cookie holds. */
export class Session extends sessionTable.class {}
sessionTable.setClass(Session)

const invitationTable = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    tokenHash: p.blob(),
    /** Whom it is for. `null`: whoever has the link. */
    email: p.text().nullable(),
    emailKey: p.text().nullable(),
    role: p.text().$type<Role>(),
    /** Whether it is for the first account, and worth nothing once there is one. */
    isFirst: p.boolean().onCreate(() => false),
    /** `null`: the command line. */
    invitedBy: () => p.manyToOne(Account).nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    expiresAt: p.datetime(),
  },
})

/** A link that makes somebody a member, once. */
export class Invitation extends invitationTable.class {}
invitationTable.setClass(Invitation)

const invitationWorkspaceTable = defineEntity({
  name: 'InvitationWorkspace',
  tableName: 'invitation_workspaces',
  properties: {
    invitation: () => p.manyToOne(Invitation).primary(),
    workspace: () => p.manyToOne(Workspace).primary(),
  },
})

/** A workspace that an invitation is to. */
export class InvitationWorkspace extends invitationWorkspaceTable.class {}
invitationWorkspaceTable.setClass(InvitationWorkspace)

const passkeyTable = defineEntity({
  name: 'Passkey',
  tableName: 'passkeys',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    account: () => p.manyToOne(Account),
    /** In base64url, as the browser names it. */
    credentialId: p.text(),
    /** In COSE. */
    publicKey: p.blob(),
    /** How often it has signed, as far as it counts. */
    counter: p.bigint('number'),
    transports: p.array(),
    name: p.text(),
    createdAt: p.datetime().onCreate(() => new Date()),
    lastUsedAt: p.datetime().nullable(),
  },
})

/** A key of a person's device, which signs in without a password (Web Authentication Level 3). */
export class Passkey extends passkeyTable.class {}
passkeyTable.setClass(Passkey)

const identityTable = defineEntity({
  name: 'Identity',
  tableName: 'identities',
  properties: {
    issuer: p.text().primary(),
    subject: p.text().primary(),
    account: () => p.manyToOne(Account),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})

/** By what another service knows an account (OpenID Connect Core 1.0, section 2). */
export class Identity extends identityTable.class {}
identityTable.setClass(Identity)

const challengeTable = defineEntity({
  name: 'Challenge',
  tableName: 'challenges',
  properties: {
    tokenHash: p.blob().primary(),
    purpose: p.text().$type<'sign-in' | 'new-passkey' | 'oidc'>(),
    account: () => p.manyToOne(Account).nullable(),
    data: p.json<Record<string, string>>(),
    expiresAt: p.datetime(),
  },
})

/** What somebody has begun, and comes back with once. */
export class Challenge extends challengeTable.class {}
challengeTable.setClass(Challenge)
