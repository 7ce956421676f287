import { array, boolean, type InferType, number, object, string } from 'yup'
import { id, timestamp, nullableText } from '../http/index.ts'
import { type Workspace, WORKSPACE_MODES } from '../workspaces/index.ts'
import type { Invitation, Member, Passkey, Session } from './entities.ts'
import { role } from './schemas.ts'

const emailField = () => string().required().meta({ example: 'ada@example.com' })

/** A workspace as one of its members sees it. */
export const membershipResponse = object({
  id: id('workspace'),
  name: string().required().meta({ example: 'My workspace' }),
  mode: string().oneOf(WORKSPACE_MODES).required().meta({ example: 'live' }),
  role: role(),
})
  .required()
  .meta({ component: 'Membership', description: 'A workspace, and the role of the account in it.' })

/** The signed-in account and its workspaces. */
export const sessionResponse = object({
  id: id('session'),
  account: object({ id: id('account'), email: emailField() }).required(),
  workspaces: array().of(membershipResponse).required(),
})
  .required()
  .meta({ component: 'Session', description: 'A signed-in browser.' })

/** Response of a sign-in. `GET /session` returns the details. */
export const signedInResponse = object({
  signedIn: boolean().required().meta({ description: 'Always true.', example: true }),
})
  .required()
  .meta({ component: 'SignedIn' })

export const presentMembership = ({ workspace, role: has }: Member): InferType<typeof membershipResponse> => ({
  id: workspace.id,
  name: workspace.name,
  mode: workspace.mode,
  role: has,
})

/** One of an account's sessions. */
export const listedSessionResponse = object({
  id: id('session'),
  isCurrent: boolean().required().meta({ description: 'Whether this is the session of the request.', example: true }),
  userAgent: nullableText('The User-Agent of the browser.'),
  createdAt: timestamp('When the browser signed in.'),
  lastUsedAt: timestamp('When the session was last used, to the minute.'),
})
  .required()
  .meta({ component: 'ListedSession' })

export const presentSession = (session: Session, thisId: string): InferType<typeof listedSessionResponse> => ({
  id: session.id,
  isCurrent: session.id === thisId,
  userAgent: session.userAgent ?? null,
  createdAt: session.createdAt.toISOString(),
  lastUsedAt: session.lastUsedAt.toISOString(),
})

export const memberResponse = object({
  id: id('account'),
  email: emailField(),
  role: role(),
  createdAt: timestamp('When the person became a member.'),
})
  .required()
  .meta({ component: 'Member', description: 'A person with access to the workspace.' })

export const presentMember = (member: Member): InferType<typeof memberResponse> => ({
  id: member.account.id,
  email: member.account.email,
  role: member.role,
  createdAt: member.createdAt.toISOString(),
})

const invitedEmail = () => nullableText('The invited email address; null if any holder of the link may accept.')

export const invitationResponse = object({
  id: id('invitation'),
  email: invitedEmail(),
  role: role(),
  createdAt: timestamp('When the invitation was created.'),
  expiresAt: timestamp('When the invitation expires.'),
})
  .required()
  .meta({ component: 'Invitation', description: 'A link that adds a member, once.' })

/** An invitation with its link, which is shown only once. */
export const newInvitationResponse = invitationResponse
  .shape({
    link: string()
      .required()
      .meta({ description: 'Only shown in this response.', example: 'http://localhost:3000/join#Zm9v…' }),
    isMailed: boolean().required().meta({ description: 'Whether the link is also emailed.', example: true }),
  })
  .required()
  .meta({ component: 'NewInvitation' })

export const presentInvitation = (invitation: Invitation): InferType<typeof invitationResponse> => ({
  id: invitation.id,
  email: invitation.email ?? null,
  role: invitation.role,
  createdAt: invitation.createdAt.toISOString(),
  expiresAt: invitation.expiresAt.toISOString(),
})

/** An invitation as the holder of its link sees it. */
export const invitationDetailsResponse = object({
  email: invitedEmail(),
  role: role(),
  workspaces: array()
    .of(
      object({
        name: string().required().meta({ example: 'My workspace' }),
        mode: string().oneOf(WORKSPACE_MODES).required().meta({ example: 'live' }),
      }).required(),
    )
    .required(),
})
  .required()
  .meta({ component: 'InvitationDetails', description: 'The workspaces and the role of an invitation.' })

export const presentInvitationDetails = ({
  invitation,
  workspaces,
}: {
  invitation: Invitation
  workspaces: readonly Workspace[]
}): InferType<typeof invitationDetailsResponse> => ({
  email: invitation.email ?? null,
  role: invitation.role,
  workspaces: workspaces.map(({ name, mode }) => ({ name, mode })),
})

/** Available ways to sign in. */
export const signInMethodsResponse = object({
  oidc: object({ name: string().required().meta({ description: 'Label of its button.', example: 'Google' }) })
    .nullable()
    .defined()
    .meta({ description: 'Single sign-on; null if it is not configured.' }),
  passwordReset: boolean()
    .required()
    .meta({ description: 'Whether a link to reset a password can be requested by email.', example: true }),
})
  .required()
  .meta({ component: 'SignInMethods' })

export const passwordResetResponse = object({ requested: boolean().required().meta({ example: true }) })
  .required()
  .meta({ component: 'PasswordResetRequest' })

export const passkeyResponse = object({
  id: id('passkey'),
  name: string().required().meta({ example: 'Laptop' }),
  createdAt: timestamp('When the passkey was added.'),
  lastUsedAt: timestamp('When the passkey last signed in.').nullable(),
})
  .required()
  .meta({ component: 'Passkey', description: 'A device that signs in without a password.' })

export const presentPasskey = (passkey: Passkey): InferType<typeof passkeyResponse> => ({
  id: passkey.id,
  name: passkey.name,
  createdAt: passkey.createdAt.toISOString(),
  lastUsedAt: passkey.lastUsedAt?.toISOString() ?? null,
})

const text = (example: string) => string().required().meta({ example })
const milliseconds = () => number().required().meta({ description: 'Milliseconds.', example: 60_000 })
const challenge = () =>
  string().required().meta({ description: 'The challenge that the device signs.', example: 'Zm9v' })
const descriptor = () =>
  object({
    id: text('Zm9v'),
    type: text('public-key'),
    transports: array().of(string().required().meta({ example: 'internal' })),
  }).required()

/** Input of `PublicKeyCredential.parseRequestOptionsFromJSON` (Web Authentication Level 3, section 5.1.9). */
export const requestOptionsResponse = object({
  challenge: challenge(),
  rpId: text('mail.example.com'),
  timeout: milliseconds(),
  userVerification: text('required'),
})
  .required()
  .meta({ component: 'PasskeyRequest', description: 'Options for the browser to sign in with a device.' })

/** Input of `PublicKeyCredential.parseCreationOptionsFromJSON` (Web Authentication Level 3, section 5.1.8). */
export const creationOptionsResponse = object({
  challenge: challenge(),
  rp: object({ id: text('mail.example.com'), name: text('Dripline') }).required(),
  user: object({
    id: text('Zm9v'),
    name: text('ada@example.com'),
    displayName: string().defined().meta({ example: '' }),
  }).required(),
  pubKeyCredParams: array()
    .of(object({ alg: number().required().meta({ example: -7 }), type: text('public-key') }).required())
    .required(),
  timeout: milliseconds(),
  attestation: text('none'),
  excludeCredentials: array().of(descriptor()).required(),
  authenticatorSelection: object({
    residentKey: text('required'),
    requireResidentKey: boolean().required().meta({ example: true }),
    userVerification: text('required'),
  }).required(),
})
  .required()
  .meta({ component: 'PasskeyCreation', description: 'Options for the browser to create a key on a device.' })

export const redirectResponse = object({
  url: string()
    .required()
    .meta({ description: 'The URL to send the browser to.', example: 'https://accounts.example.com/authorize?…' }),
})
  .required()
  .meta({ component: 'Redirect' })
