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
    /** PHC string, or `null` if the account signs in without a password. */
    passwordHash: p.text().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})

/** A person who can sign in, identified by email address across all workspaces. */
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

/** Membership of an account in a workspace, with a role. */
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
    /** Updated at most once a minute. */
    lastUsedAt: p.datetime().onCreate(() => new Date()),
    expiresAt: p.datetime(),
  },
})

/** A signed-in browser, identified by the hash of its cookie. */
export class Session extends sessionTable.class {}
sessionTable.setClass(Session)

const invitationTable = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    tokenHash: p.blob(),
    /** The invited address, or `null` if any holder of the link may accept. */
    email: p.text().nullable(),
    emailKey: p.text().nullable(),
    role: p.text().$type<Role>(),
    /** The invitation is for the first account, and invalid once an account exists. */
    isFirst: p.boolean().onCreate(() => false),
    /** `null` for the CLI. */
    invitedBy: () => p.manyToOne(Account).nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    expiresAt: p.datetime(),
  },
})

/** A link that adds a member, once. */
export class Invitation extends invitationTable.class {}
invitationTable.setClass(Invitation)

const mailedInvitationTable = defineEntity({
  name: 'MailedInvitation',
  tableName: 'mailed_invitations',
  properties: {
    tokenHash: p.blob().primary(),
    invitation: () => p.manyToOne(Invitation),
  },
})

/** A link of an invitation that was emailed. */
export class MailedInvitation extends mailedInvitationTable.class {}
mailedInvitationTable.setClass(MailedInvitation)

const invitationWorkspaceTable = defineEntity({
  name: 'InvitationWorkspace',
  tableName: 'invitation_workspaces',
  properties: {
    invitation: () => p.manyToOne(Invitation).primary(),
    workspace: () => p.manyToOne(Workspace).primary(),
  },
})

/** A workspace of an invitation. */
export class InvitationWorkspace extends invitationWorkspaceTable.class {}
invitationWorkspaceTable.setClass(InvitationWorkspace)

const passkeyTable = defineEntity({
  name: 'Passkey',
  tableName: 'passkeys',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    account: () => p.manyToOne(Account),
    /** base64url, as in the browser. */
    credentialId: p.text(),
    /** COSE key. */
    publicKey: p.blob(),
    /** Signature counter, if the device has one. */
    counter: p.bigint('number'),
    transports: p.array(),
    name: p.text(),
    createdAt: p.datetime().onCreate(() => new Date()),
    lastUsedAt: p.datetime().nullable(),
  },
})

/** A key of a device that signs in without a password (Web Authentication Level 3). */
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

/** The subject of an account at an OIDC provider (OpenID Connect Core 1.0, section 2). */
export class Identity extends identityTable.class {}
identityTable.setClass(Identity)

const challengeTable = defineEntity({
  name: 'Challenge',
  tableName: 'challenges',
  properties: {
    tokenHash: p.blob().primary(),
    purpose: p.text().$type<'sign-in' | 'new-passkey' | 'oidc' | 'reset-password'>(),
    account: () => p.manyToOne(Account).nullable(),
    data: p.json<Record<string, string>>(),
    expiresAt: p.datetime(),
  },
})

/** Single-use state of a flow such as a single sign-on. */
export class Challenge extends challengeTable.class {}
challengeTable.setClass(Challenge)
