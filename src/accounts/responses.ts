import { array, boolean, type InferType, number, object, string } from 'yup'
import { id, timestamp, nullableText } from '../http/index.ts'
import { type Workspace, WORKSPACE_MODES } from '../workspaces/index.ts'
import type { Invitation, Member, Passkey, Session } from './entities.ts'
import { role } from './schemas.ts'

const emailField = () => string().required().meta({ example: 'ada@example.com' })

/** A workspace, for whoever is a member of it. */
export const membershipResponse = object({
  id: id('workspace'),
  name: string().required().meta({ example: 'My workspace' }),
  mode: string().oneOf(WORKSPACE_MODES).required().meta({ example: 'live' }),
  role: role(),
})
  .required()
  .meta({ component: 'Membership', description: 'A workspace, and what one may do in it.' })

/** Who is signed in, and where they work. */
export const sessionResponse = object({
  id: id('session'),
  account: object({ id: id('account'), email: emailField() }).required(),
  workspaces: array().of(membershipResponse).required(),
})
  .required()
  .meta({ component: 'Session', description: 'A browser that is signed in.' })

/** What signing in answers: all else is in `GET /session`. */
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
  isThis: boolean().required().meta({ description: 'Whether it is the one that asks.', example: true }),
  userAgent: nullableText('What the browser called itself.'),
  createdAt: timestamp('When it signed in.'),
  lastUsedAt: timestamp('When it was used last, up to a minute ago.'),
})
  .required()
  .meta({ component: 'ListedSession' })

export const presentSession = (session: Session, thisId: string): InferType<typeof listedSessionResponse> => ({
  id: session.id,
  isThis: session.id === thisId,
  userAgent: session.userAgent ?? null,
  createdAt: session.createdAt.toISOString(),
  lastUsedAt: session.lastUsedAt.toISOString(),
})

export const memberResponse = object({
  id: id('account'),
  email: emailField(),
  role: role(),
  createdAt: timestamp('When they became a member.'),
})
  .required()
  .meta({ component: 'Member', description: 'Somebody who works in the workspace.' })

export const presentMember = (member: Member): InferType<typeof memberResponse> => ({
  id: member.account.id,
  email: member.account.email,
  role: member.role,
  createdAt: member.createdAt.toISOString(),
})

const invitedEmail = () => nullableText('Whom it is for; null: whoever has the link.')

export const invitationResponse = object({
  id: id('invitation'),
  email: invitedEmail(),
  role: role(),
  createdAt: timestamp('When it was made.'),
  expiresAt: timestamp('Until when it may be used.'),
})
  .required()
  .meta({ component: 'Invitation', description: 'A link that makes somebody a member, once.' })

/** The same, with what is shown once. */
export const newInvitationResponse = invitationResponse
  .shape({
    link: string().required().meta({ description: 'Shown this once.', example: 'http://localhost:3000/join#Zm9v…' }),
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

/** What a link is to, for whoever has it. */
export const offeredResponse = object({
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
  .meta({ component: 'Offer', description: 'What an invitation is to.' })

export const presentOffer = ({
  invitation,
  workspaces,
}: {
  invitation: Invitation
  workspaces: readonly Workspace[]
}): InferType<typeof offeredResponse> => ({
  email: invitation.email ?? null,
  role: invitation.role,
  workspaces: workspaces.map(({ name, mode }) => ({ name, mode })),
})

/** How somebody can sign in here. */
export const waysResponse = object({
  oidc: object({ name: string().required().meta({ description: 'What its button says.', example: 'Google' }) })
    .nullable()
    .defined()
    .meta({ description: 'Another service that signs people in; null: none.' }),
})
  .required()
  .meta({ component: 'WaysToSignIn' })

export const passkeyResponse = object({
  id: id('passkey'),
  name: string().required().meta({ example: 'Laptop' }),
  createdAt: timestamp('When it was added.'),
  lastUsedAt: timestamp('When it signed in last.').nullable(),
})
  .required()
  .meta({ component: 'Passkey', description: 'A device that signs in without a password.' })

export const presentPasskey = (passkey: Passkey): InferType<typeof passkeyResponse> => ({
  id: passkey.id,
  name: passkey.name,
  createdAt: passkey.createdAt.toISOString(),
  lastUsedAt: passkey.lastUsedAt?.toISOString() ?? null,
})

const word = (example: string) => string().required().meta({ example })
const milliseconds = () => number().required().meta({ description: 'In milliseconds.', example: 60_000 })
const challenge = () => string().required().meta({ description: 'What the device signs.', example: 'Zm9v' })
const descriptor = () =>
  object({
    id: word('Zm9v'),
    type: word('public-key'),
    transports: array().of(string().required().meta({ example: 'internal' })),
  }).required()

/** Web Authentication Level 3, section 5.1.9: `PublicKeyCredential.parseRequestOptionsFromJSON` takes it. */
export const requestOptionsResponse = object({
  challenge: challenge(),
  rpId: word('mail.example.com'),
  timeout: milliseconds(),
  userVerification: word('required'),
})
  .required()
  .meta({ component: 'PasskeyRequest', description: 'What a browser asks a device with.' })

/** Web Authentication Level 3, section 5.1.8: `PublicKeyCredential.parseCreationOptionsFromJSON` takes it. */
export const creationOptionsResponse = object({
  challenge: challenge(),
  rp: object({ id: word('mail.example.com'), name: word('Dripline') }).required(),
  user: object({
    id: word('Zm9v'),
    name: word('ada@example.com'),
    displayName: string().defined().meta({ example: '' }),
  }).required(),
  pubKeyCredParams: array()
    .of(object({ alg: number().required().meta({ example: -7 }), type: word('public-key') }).required())
    .required(),
  timeout: milliseconds(),
  attestation: word('none'),
  excludeCredentials: array().of(descriptor()).required(),
  authenticatorSelection: object({
    residentKey: word('required'),
    requireResidentKey: boolean().required().meta({ example: true }),
    userVerification: word('required'),
  }).required(),
})
  .required()
  .meta({ component: 'PasskeyCreation', description: 'What a browser has a device make a key with.' })

export const departureResponse = object({
  url: string()
    .required()
    .meta({ description: 'Where to send the browser.', example: 'https://accounts.example.com/authorize?…' }),
})
  .required()
  .meta({ component: 'Departure' })
