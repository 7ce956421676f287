import { array, boolean, object, string, type InferType } from 'yup'
import { type ApiDependencies, atMost, filledText, operation, single, text } from '../http/index.ts'
import { readBounceDomain, readPublicUrl } from '../installation/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { isEmailAddress } from '../platform/email-address.ts'
import { checkRecords, recordsFor } from './dns.ts'
import type { SenderSettings } from './entities.ts'
import { FROM_ADDRESS_MISSING, SECRETS_KEY_MISSING } from './refusals.ts'
import { dropDkimKey, getSender, makeDkimKey, setSender } from './settings.ts'

/** What stands in a header is one line. */
const oneLine = (max: number) =>
  text()
    .nullable()
    .test(atMost(max))
    .matches(/^\P{Cc}*$/u, ({ path }) => `${path} must have no line breaks and no control characters`)
const address = (description: string, example: string) =>
  string()
    .nullable()
    .test({
      name: 'address',
      message: ({ path }) => `${path} must be an email address`,
      test: (value) => value == null || (isEmailAddress(value) && value.length <= 254),
    })
    .meta({ description, json: { format: 'email' }, example })

const senderInput = object({
  fromName: oneLine(200).meta({
    description: "The name that recipients see; the installation's where it is null.",
    example: 'Orchard',
  }),
  fromAddress: address("From whom mail is; the installation's MAIL_FROM where it is null.", 'hello@example.com'),
  replyTo: address('Where answers go, where that is another one.', 'support@example.com'),
  postalAddress: text().nullable().test(atMost(500)).meta({
    description: 'Stands below each marketing email, as the law of many countries asks for.',
    example: 'Orchard Ltd, 1 Main Street, Springfield',
  }),
  trackOpens: boolean().meta({
    description: 'Whether marketing emails tell that they were opened; they do not where nothing is said.',
    example: false,
  }),
  trackClicks: boolean().meta({
    description: 'Whether links in marketing emails lead by way of this service; they do not where nothing is said.',
    example: false,
  }),
}).meta({ component: 'SenderInput' })

const dkimInput = object({
  selector: filledText()
    .test(atMost(63))
    .matches(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i, 'selector must be letters, digits and hyphens')
    .meta({
      description: 'By which it is found in the DNS; another one for each key.',
      json: { pattern: '^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$' },
      example: 'dripline',
    }),
})

const nullable = (example: string | null) => string().nullable().defined().meta({ example })
const record = {
  what: string()
    .oneOf(['SPF', 'DKIM', 'DMARC', 'RETURN_PATH'] as const)
    .required(),
  name: string().required().meta({ example: '_dmarc.example.com' }),
  type: string()
    .oneOf(['TXT', 'MX'] as const)
    .required(),
  value: string().required().meta({ example: 'v=DMARC1; p=none' }),
  note: nullable(null),
}

const senderShape = object({
  fromName: nullable('Orchard'),
  fromAddress: nullable('hello@example.com'),
  replyTo: nullable(null),
  postalAddress: nullable('Orchard Ltd, 1 Main Street, Springfield'),
  trackOpens: boolean()
    .required()
    .meta({ description: 'Whether marketing emails tell that they were opened.', example: false }),
  trackClicks: boolean()
    .required()
    .meta({ description: 'Whether links in marketing emails lead by way of this service.', example: false }),
  isSigned: boolean().required().meta({ description: 'Whether mail is signed (DKIM).', example: true }),
  dkimSelector: nullable('dripline'),
  records: array()
    .of(object(record).required())
    .required()
    .meta({ description: 'What the DNS of its domain should have.' }),
})
  .required()
  .meta({ component: 'Sender', description: "From whom a workspace's mail is." })

const checkShape = array()
  .of(
    object({
      ...record,
      status: string()
        .oneOf(['OK', 'MISSING', 'WRONG', 'UNKNOWN'] as const)
        .required()
        .meta({ example: 'OK' }),
      found: array().of(string().required()).required().meta({ example: [] }),
      problem: nullable(null),
    }).required(),
  )
  .required()

type Records = ReturnType<typeof recordsFor>

/** The records of a workspace's sender. */
async function recordsOf(
  em: EntityManager,
  publicUrl: string | undefined,
  sender: SenderSettings | null,
): Promise<Records> {
  if (!sender) return []
  const domain = await readBounceDomain(em.fork())
  const url = publicUrl ?? (await readPublicUrl(em.fork()))
  const host = url == null ? 'YOUR-HOST' : new URL(url).hostname
  return recordsFor(sender, domain === null ? null : { domain, host })
}

const present = (sender: SenderSettings | null, records: Records): InferType<typeof senderShape> => ({
  fromName: sender?.fromName ?? null,
  fromAddress: sender?.fromAddress ?? null,
  replyTo: sender?.replyTo ?? null,
  postalAddress: sender?.postalAddress ?? null,
  trackOpens: sender?.trackOpens ?? false,
  trackClicks: sender?.trackClicks ?? false,
  isSigned: sender?.dkimPrivate != null,
  dkimSelector: sender?.dkimSelector ?? null,
  records,
})

const answerWith = async (
  { em, publicUrl }: Pick<ApiDependencies, 'em' | 'publicUrl'>,
  sender: SenderSettings | null,
) => ({
  status: 200,
  body: { data: present(sender, await recordsOf(em, publicUrl, sender)) },
})

export const senderOperations = [
  operation({
    id: 'getSender',
    method: 'GET',
    path: '/sender',
    tag: 'Settings',
    summary: 'Get the sender',
    description: "From whom the workspace's mail is, and which DNS records that wants, ready to copy.",
    role: 'viewer',
    answers: { 200: { description: 'The sender.', schema: single(senderShape) } },
    async handle({ caller }, dependencies) {
      return answerWith(dependencies, await getSender(dependencies.em, caller.workspace.id))
    },
  }),
  operation({
    id: 'setSender',
    method: 'PUT',
    path: '/sender',
    tag: 'Settings',
    summary: 'Set the sender',
    description:
      "All of it: what is null or missing is the installation's. Emails that are claimed behind the answer have it.",
    role: 'owner',
    body: senderInput,
    answers: { 200: { description: 'The sender.', schema: single(senderShape) } },
    async handle({ caller, body }, dependencies) {
      return answerWith(dependencies, await setSender(dependencies.em, caller.workspace.id, body))
    },
  }),
  operation({
    id: 'makeDkimKey',
    method: 'POST',
    path: '/sender/dkim',
    tag: 'Settings',
    summary: 'Sign mail',
    description:
      'Makes a key for the domain of fromAddress, and signs all mail with it from now on: put its record into the DNS at once. The key is ' +
      'kept encrypted under SECRETS_KEY, and shown to nobody.',
    role: 'owner',
    body: dkimInput,
    bodyOptional: true,
    answers: { 200: { description: 'The sender, with the record.', schema: single(senderShape) } },
    refusals: { 409: [SECRETS_KEY_MISSING, FROM_ADDRESS_MISSING] },
    async handle({ caller, body }, dependencies) {
      const { em, secrets } = dependencies
      return answerWith(dependencies, await makeDkimKey(em, secrets, caller.workspace.id, body.selector ?? 'dripline'))
    },
  }),
  operation({
    id: 'dropDkimKey',
    method: 'DELETE',
    path: '/sender/dkim',
    tag: 'Settings',
    summary: 'Sign no mail',
    description: 'The key is gone.',
    role: 'owner',
    answers: { 200: { description: 'The sender.', schema: single(senderShape) } },
    async handle({ caller }, dependencies) {
      return answerWith(dependencies, await dropDkimKey(dependencies.em, caller.workspace.id))
    },
  }),
  operation({
    id: 'checkSender',
    method: 'POST',
    path: '/sender/check',
    tag: 'Settings',
    summary: 'Check the DNS',
    description: 'Asks the DNS whether the records are there, and says what is wrong with them.',
    role: 'viewer',
    changesNothing: true,
    answers: { 200: { description: 'Each record, and how it is.', schema: single(checkShape) } },
    async handle({ caller }, { em, dns, publicUrl }) {
      const records = await recordsOf(em, publicUrl, await getSender(em, caller.workspace.id))
      return { status: 200, body: { data: await checkRecords(dns, records) } }
    },
  }),
]
