import { array, boolean, number, object, string, type InferType } from 'yup'
import { type ApiDependencies, atMost, filledText, operation, single, text, ok } from '../http/index.ts'
import { readBounceDomain, readPublicUrl } from '../instance/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { isEmailAddress } from '../platform/email-address.ts'
import { checkRecords, recordsFor } from './dns.ts'
import type { SenderSettings } from './entities.ts'
import { FROM_ADDRESS_MISSING, SECRETS_KEY_MISSING } from './errors.ts'
import { dropDkimKey, getSender, makeDkimKey, setSender } from './settings.ts'
import { endWarmUp, readWarmUp, setWarmUp, type WarmUp } from './warm-up-queries.ts'

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
    description: "The name that recipients see; the instance's where it is null.",
    example: 'Orchard',
  }),
  fromAddress: address("From whom mail is; the instance's MAIL_FROM where it is null.", 'hello@example.com'),
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

const MAX_A_DAY = 10_000_000
const warmUp = {
  perDay: number()
    .integer()
    .min(1)
    .max(MAX_A_DAY)
    .required()
    .meta({ description: 'How many emails it mails on the first day.', example: 50 }),
  growthPercent: number()
    .integer()
    .min(1)
    .max(400)
    .required()
    .meta({ description: 'By how much that grows from day to day.', example: 50 }),
  upTo: number().integer().min(2).max(MAX_A_DAY).required().meta({
    description: 'As soon as it would be so many a day, it is over: as many are mailed as there are.',
    example: 20_000,
  }),
}
const warmUpInput = object(warmUp)
  .test({
    name: 'grows',
    message: 'upTo must be more than perDay',
    test: ({ perDay, upTo }) => !(upTo <= perDay),
  })
  .meta({ component: 'WarmUpInput' })
const warmUpResponse = object({
  ...warmUp,
  since: string()
    .required()
    .meta({ description: 'Its first day (UTC).', json: { format: 'date' }, example: '2026-11-02' }),
  day: number().integer().min(1).required().meta({ description: 'Which day of it today is.', example: 3 }),
  allowedToday: number()
    .integer()
    .nullable()
    .defined()
    .meta({ description: 'How many may be mailed today; null where it is over.', example: 112 }),
  mailedToday: number().integer().min(0).required().meta({ description: 'How many have been.', example: 80 }),
})
  .default(undefined)
  .meta({
    component: 'WarmUp',
    description: 'How many emails a sender mails a day; missing where that is as many as there are.',
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

const senderResponse = object({
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
  warmUp: warmUpResponse.optional(),
  records: array()
    .of(object(record).required())
    .required()
    .meta({ description: 'What the DNS of its domain should have.' }),
})
  .required()
  .meta({ component: 'Sender', description: "From whom a workspace's mail is." })

const checkResponse = array()
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
  const domain = await readBounceDomain(em.fork())
  const url = publicUrl ?? (await readPublicUrl(em.fork()))
  const host = url == null ? 'YOUR-HOST' : new URL(url).hostname
  return recordsFor(sender ?? {}, domain === null ? null : { domain, host })
}

const present = (
  sender: SenderSettings | null,
  warmUp: WarmUp | undefined,
  records: Records,
): InferType<typeof senderResponse> => ({
  fromName: sender?.fromName ?? null,
  fromAddress: sender?.fromAddress ?? null,
  replyTo: sender?.replyTo ?? null,
  postalAddress: sender?.postalAddress ?? null,
  trackOpens: sender?.trackOpens ?? false,
  trackClicks: sender?.trackClicks ?? false,
  isSigned: sender?.dkimPrivate != null,
  dkimSelector: sender?.dkimSelector ?? null,
  ...(warmUp && { warmUp }),
  records,
})

const answerWith = async (
  { em, publicUrl }: Pick<ApiDependencies, 'em' | 'publicUrl'>,
  sender: SenderSettings | null,
) =>
  ok(
    present(
      sender,
      sender?.warmUpSince == null ? undefined : await readWarmUp(em.fork(), sender.workspaceId),
      await recordsOf(em, publicUrl, sender),
    ),
  )

export const senderOperations = [
  operation({
    id: 'getSender',
    method: 'GET',
    path: '/sender',
    tag: 'Settings',
    summary: 'Get the sender',
    description: "From whom the workspace's mail is, and which DNS records that wants, ready to copy.",
    role: 'viewer',
    responses: { 200: { description: 'The sender.', schema: single(senderResponse) } },
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
      "All of it: what is null or missing is the instance's. Emails that are claimed behind the answer have it.",
    role: 'owner',
    body: senderInput,
    responses: { 200: { description: 'The sender.', schema: single(senderResponse) } },
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
    responses: { 200: { description: 'The sender, with the record.', schema: single(senderResponse) } },
    errors: { 409: [SECRETS_KEY_MISSING, FROM_ADDRESS_MISSING] },
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
    responses: { 200: { description: 'The sender.', schema: single(senderResponse) } },
    async handle({ caller }, dependencies) {
      return answerWith(dependencies, await dropDkimKey(dependencies.em, caller.workspace.id))
    },
  }),
  operation({
    id: 'setWarmUp',
    method: 'PUT',
    path: '/sender/warm-up',
    tag: 'Settings',
    summary: 'Warm the sender up',
    description:
      'From today on it mails so many emails a day, and more each day: providers take a sender that nobody knows and that mails many for spam. ' +
      'Days are those of UTC. Transactional emails count, and wait for nothing; marketing emails and campaigns wait for the next day, for as long as it takes. ' +
      'One that has begun goes on, by the new numbers, which what waits knows within the hour.',
    role: 'owner',
    body: warmUpInput,
    responses: { 200: { description: 'The sender.', schema: single(senderResponse) } },
    async handle({ caller, body }, dependencies) {
      const { em } = dependencies
      await setWarmUp(em.fork(), caller.workspace.id, body)
      return answerWith(dependencies, await getSender(em, caller.workspace.id))
    },
  }),
  operation({
    id: 'endWarmUp',
    method: 'DELETE',
    path: '/sender/warm-up',
    tag: 'Settings',
    summary: 'End the warm-up',
    description: 'As many emails are mailed as there are; those that wait go out within the hour.',
    role: 'owner',
    responses: { 200: { description: 'The sender.', schema: single(senderResponse) } },
    async handle({ caller }, dependencies) {
      const { em } = dependencies
      await endWarmUp(em.fork(), caller.workspace.id)
      return answerWith(dependencies, await getSender(em, caller.workspace.id))
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
    responses: { 200: { description: 'Each record, and how it is.', schema: single(checkResponse) } },
    async handle({ caller }, { em, dns, publicUrl }) {
      const records = await recordsOf(em, publicUrl, await getSender(em, caller.workspace.id))
      return ok(await checkRecords(dns, records))
    },
  }),
]
