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
      description: 'By which the account is known, compared without case.',
      json: { format: 'email' },
      example: 'ada@example.com',
    })

const password = (description: string) =>
  string().required().min(1).max(1_000).meta({ description, example: 'correct horse battery' })

export const signInInput = object({
  email: email().required(),
  password: password('Of the account.'),
})

const token = () =>
  string().required().min(1).max(100).meta({ description: 'What stands behind # in the link.', example: 'Zm9v…' })

export const invitationLinkInput = object({ token: token() })

export const acceptInput = object({
  token: token(),
  email: email().required(),
  password: password('Of a new account: 12 characters or more. Of one that is there: its own.'),
})

export const role = () =>
  string().oneOf(ROLES).required().meta({
    description: 'viewer reads, editor changes too, owner has members, keys and settings besides.',
    example: 'editor',
  })

export const invitationInput = object({
  role: role(),
  email: email().meta({ description: 'Whom it is for. Without it, whoever has the link.', example: 'bob@example.com' }),
})

export const memberInput = object({ role: role() })

/** What a browser gives of bytes: base64url without padding. */
const bytes = (description: string, max: number) =>
  string()
    .min(1)
    .max(max)
    .matches(/^[A-Za-z0-9_-]*$/)
    .meta({ description, example: 'Zm9v' })

const credential = <T extends Record<string, ReturnType<typeof bytes> | ReturnType<typeof transports>>>(response: T) =>
  object({
    id: bytes('Its name.', 2_000).required(),
    response: object(response).required(),
  })
    .required()
    .meta({ description: 'What the browser gives: `toJSON()` of a PublicKeyCredential.' })

const transports = () =>
  array()
    .of(string().max(50).required())
    .max(10)
    .meta({ description: 'How the device is reached.', example: ['internal'] })

const clientData = () => bytes('What the browser says of the page.', 10_000).required()

export const passkeyCredentialInput = object({
  credential: credential({
    clientDataJSON: clientData(),
    authenticatorData: bytes('What the device says.', 10_000).required(),
    signature: bytes('Of both.', 5_000).required(),
  }),
})

export const newPasskeyInput = object({
  name: filledText()
    .required()
    .test(atMost(MAX_NAME_LENGTH))
    .matches(/^\P{Cc}*$/u)
    .meta({ description: 'What its owner calls the device.', example: 'Laptop' }),
  credential: credential({
    clientDataJSON: clientData(),
    attestationObject: bytes('The new key.', 12_000).required(),
    transports: transports(),
  }),
})

export const presentPasswordInput = object({
  presentPassword: string()
    .max(1_000)
    .meta({ description: 'The one that the account has, where it has one.', example: 'correct horse battery' }),
})

export const oidcSignInInput = object({
  invitation: string().max(100).meta({ description: 'The token of a link that is accepted by it.', example: 'Zm9v…' }),
})

export const cameBackInput = object({
  query: string().required().min(1).max(10_000).meta({
    description: 'What stands behind the ? of the address to which the browser came back.',
    example: 'code=Zm9v&state=YmFy',
  }),
})

export const passwordInput = presentPasswordInput.shape({ password: password('12 characters or more.') })

export const newWorkspaceInput = object({
  name: filledText()
    .required()
    .test(atMost(MAX_NAME_LENGTH))
    .matches(/^\P{Cc}*$/u)
    .meta({ description: 'Its name.', example: 'Orchard' }),
  mode: string()
    .oneOf(WORKSPACE_MODES)
    .required()
    .meta({ description: 'Whether its mail is ever delivered.', example: 'test' }),
})
