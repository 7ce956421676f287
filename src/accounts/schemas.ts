import { array, object, string } from 'yup'
import { atMost, filledText, MAX_NAME_LENGTH } from '../http/index.ts'
import { isEmailAddress } from '../platform/email-address.ts'
import { ROLES, WORKSPACE_MODES } from '../workspaces/index.ts'

const email = () =>
  string()
    .trim()
    .max(320)
    .test('email', 'Invalid email address', (value) => value === undefined || isEmailAddress(value))
    .meta({
      description: 'The email address of the account, compared without case.',
      json: { format: 'email' },
      example: 'ada@example.com',
    })

const password = (description: string) =>
  string().required().min(1).max(1_000).meta({ description, example: 'correct horse battery' })

export const signInInput = object({
  email: email().required(),
  password: password('The password of the account.'),
})

const token = () =>
  string().required().min(1).max(100).meta({ description: 'The part of the link after #.', example: 'Zm9v…' })

export const invitationLinkInput = object({ token: token() })

export const acceptInput = object({
  token: token(),
  email: email().required(),
  password: password('For a new account: 12 characters or more. For an existing account: its password.'),
})

export const passwordResetRequestInput = object({ email: email().required() })

export const passwordResetInput = object({ token: token(), password: password('12 characters or more.') })

export const role = () =>
  string().oneOf(ROLES).required().meta({
    description: 'A viewer can read, an editor can also change, an owner can also manage members, keys and settings.',
    example: 'editor',
  })

export const invitationInput = object({
  role: role(),
  email: email().meta({
    description: 'The invited email address. Without it, any holder of the link may accept.',
    example: 'bob@example.com',
  }),
})

export const memberInput = object({ role: role() })

/** Bytes as browsers encode them: base64url without padding. */
const bytes = (description: string, max: number) =>
  string()
    .min(1)
    .max(max)
    .matches(/^[A-Za-z0-9_-]*$/)
    .meta({ description, example: 'Zm9v' })

const credential = <T extends Record<string, ReturnType<typeof bytes> | ReturnType<typeof transports>>>(response: T) =>
  object({
    id: bytes('The ID of the credential.', 2_000).required(),
    response: object(response).required(),
  })
    .required()
    .meta({ description: '`toJSON()` of the PublicKeyCredential in the browser.' })

const transports = () =>
  array()
    .of(string().max(50).required())
    .max(10)
    .meta({ description: 'How the browser reaches the device.', example: ['internal'] })

const clientData = () => bytes('The client data of the browser.', 10_000).required()

export const passkeyCredentialInput = object({
  credential: credential({
    clientDataJSON: clientData(),
    authenticatorData: bytes('The authenticator data of the device.', 10_000).required(),
    signature: bytes('The signature of both.', 5_000).required(),
  }),
})

export const newPasskeyInput = object({
  name: filledText()
    .required()
    .test(atMost(MAX_NAME_LENGTH))
    .matches(/^\P{Cc}*$/u)
    .meta({ description: 'The name of the device.', example: 'Laptop' }),
  credential: credential({
    clientDataJSON: clientData(),
    attestationObject: bytes('The new key.', 12_000).required(),
    transports: transports(),
  }),
})

export const currentPasswordInput = object({
  currentPassword: string()
    .max(1_000)
    .meta({ description: 'The current password; only if the account has one.', example: 'correct horse battery' }),
})

export const oidcSignInInput = object({
  invitation: string().max(100).meta({ description: 'The token of an invitation to accept.', example: 'Zm9v…' }),
})

export const oidcCallbackInput = object({
  query: string().required().min(1).max(10_000).meta({
    description: 'The part of the redirect URI after ?.',
    example: 'code=Zm9v&state=YmFy',
  }),
})

export const passwordInput = currentPasswordInput.shape({ password: password('12 characters or more.') })

export const newWorkspaceInput = object({
  name: filledText()
    .required()
    .test(atMost(MAX_NAME_LENGTH))
    .matches(/^\P{Cc}*$/u)
    .meta({ description: 'The name of the workspace.', example: 'Orchard' }),
  mode: string()
    .oneOf(WORKSPACE_MODES)
    .required()
    .meta({ description: 'A test workspace captures all mail, a live workspace sends it.', example: 'test' }),
})
