import { array, boolean, number, object, string, type InferType } from 'yup'
import { type ApiDependencies, atMost, filledText, operation, single, text, ok } from '../http/index.ts'
import { readBounceDomain, readPublicUrl } from '../instance/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { isEmailAddress } from '../platform/email-address.ts'
import { checkRecords, recordsFor } from './dns.ts'
import type { SenderSettings } from './entities.ts'
import { FROM_ADDRESS_MISSING, SECRETS_KEY_MISSING } from './errors.ts'
import { deleteDkimKey, getSender, createDkimKey, setSender } from './settings.ts'
import { endWarmUp, readWarmUp, setWarmUp, type WarmUp } from './warm-up-queries.ts'

/** Header fields must not contain line breaks. */
const oneLine = (max: number) =>
  text()
    .nullable()
    .test(atMost(max))
    .matches(/^\P{Cc}*$/u, ({ path }) => `${path} must not contain line breaks or control characters`)
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
    description: "The name that recipients see. If null, the instance's.",
    example: 'Orchard',
  }),
  fromAddress: address("The address that mail is sent from. If null, the instance's MAIL_FROM.", 'hello@example.com'),
  replyTo: address('The address for replies, if it is not fromAddress.', 'support@example.com'),
  postalAddress: text().nullable().test(atMost(500)).meta({
    description: 'Added to the footer of marketing emails. Required by law in many countries.',
    example: 'Orchard Ltd, 1 Main Street, Springfield',
  }),
  trackOpens: boolean().meta({
    description: 'Whether to track opens of marketing emails. Defaults to false.',
    example: false,
  }),
  trackClicks: boolean().meta({
    description: 'Whether to track clicks in marketing emails. Defaults to false.',
    example: false,
  }),
}).meta({ component: 'SenderInput' })

const dkimInput = object({
  selector: filledText()
    .test(atMost(63))
    .matches(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i, 'selector must be letters, digits and hyphens')
    .meta({
      description: 'The DKIM selector, which is part of the name of the DNS record. Use a new one for each key.',
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
    .meta({ description: 'Maximum emails on the first day.', example: 50 }),
  growthPercent: number()
    .integer()
    .min(1)
    .max(400)
    .required()
    .meta({ description: 'Daily growth in percent.', example: 50 }),
  upTo: number().integer().min(2).max(MAX_A_DAY).required().meta({
    description: 'The warm-up ends when the daily limit reaches this number. After that, there is no limit.',
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
    .meta({ description: 'First day (UTC).', json: { format: 'date' }, example: '2026-11-02' }),
  day: number().integer().min(1).required().meta({ description: 'Number of the current day, from 1.', example: 3 }),
  allowedToday: number()
    .integer()
    .nullable()
    .defined()
    .meta({ description: 'Maximum emails today; null if the warm-up is over.', example: 112 }),
  sentToday: number().integer().min(0).required().meta({ description: 'Number of emails sent today.', example: 80 }),
})
  .default(undefined)
  .meta({
    component: 'WarmUp',
    description: 'The daily limit of a new sender. Missing if there is none.',
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
    .meta({ description: 'Whether opens of marketing emails are tracked.', example: false }),
  trackClicks: boolean()
    .required()
    .meta({ description: 'Whether clicks in marketing emails are tracked.', example: false }),
  isSigned: boolean().required().meta({ description: 'Whether mail is signed (DKIM).', example: true }),
  dkimSelector: nullable('dripline'),
  warmUp: warmUpResponse.optional(),
  records: array().of(object(record).required()).required().meta({ description: 'The required DNS records.' }),
})
  .required()
  .meta({ component: 'Sender', description: 'The sender of the workspace.' })

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

/** Lists the DNS records of a workspace's sender. */
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

const respondWith = async (
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
    description: 'The sender of the workspace, with the DNS records that it requires.',
    role: 'viewer',
    responses: { 200: { description: 'The sender.', schema: single(senderResponse) } },
    async handle({ caller }, dependencies) {
      return respondWith(dependencies, await getSender(dependencies.em, caller.workspace.id))
    },
  }),
  operation({
    id: 'setSender',
    method: 'PUT',
    path: '/sender',
    tag: 'Settings',
    summary: 'Set the sender',
    description:
      "Replaces all fields. Fields that are null or missing use the instance's value. Applies to emails that are claimed after the response.",
    role: 'owner',
    body: senderInput,
    responses: { 200: { description: 'The sender.', schema: single(senderResponse) } },
    async handle({ caller, body }, dependencies) {
      return respondWith(dependencies, await setSender(dependencies.em, caller.workspace.id, body))
    },
  }),
  operation({
    id: 'createDkimKey',
    method: 'POST',
    path: '/sender/dkim',
    tag: 'Settings',
    summary: 'Create a DKIM key',
    description:
      'Creates a key for the domain of fromAddress and signs all mail with it from now on. Publish its DNS record immediately. The private ' +
      'key is stored encrypted with SECRETS_KEY.',
    role: 'owner',
    body: dkimInput,
    bodyOptional: true,
    responses: { 200: { description: 'The sender, with the record.', schema: single(senderResponse) } },
    errors: { 409: [SECRETS_KEY_MISSING, FROM_ADDRESS_MISSING] },
    async handle({ caller, body }, dependencies) {
      const { em, secrets } = dependencies
      return respondWith(
        dependencies,
        await createDkimKey(em, secrets, caller.workspace.id, body.selector ?? 'dripline'),
      )
    },
  }),
  operation({
    id: 'deleteDkimKey',
    method: 'DELETE',
    path: '/sender/dkim',
    tag: 'Settings',
    summary: 'Delete the DKIM key',
    description: 'Mail is no longer signed.',
    role: 'owner',
    responses: { 200: { description: 'The sender.', schema: single(senderResponse) } },
    async handle({ caller }, dependencies) {
      return respondWith(dependencies, await deleteDkimKey(dependencies.em, caller.workspace.id))
    },
  }),
  operation({
    id: 'setWarmUp',
    method: 'PUT',
    path: '/sender/warm-up',
    tag: 'Settings',
    summary: 'Start a warm-up',
    description:
      'Sets a daily limit that grows every day, because mailbox providers treat a new sender of many emails as spam. ' +
      'Days are in UTC. Transactional emails count but are not limited. Marketing emails and campaigns wait for the next day. ' +
      'A warm-up in progress continues with the new numbers, which apply to waiting emails within an hour.',
    role: 'owner',
    body: warmUpInput,
    responses: { 200: { description: 'The sender.', schema: single(senderResponse) } },
    async handle({ caller, body }, dependencies) {
      const { em } = dependencies
      await setWarmUp(em.fork(), caller.workspace.id, body)
      return respondWith(dependencies, await getSender(em, caller.workspace.id))
    },
  }),
  operation({
    id: 'endWarmUp',
    method: 'DELETE',
    path: '/sender/warm-up',
    tag: 'Settings',
    summary: 'End the warm-up',
    description: 'Removes the daily limit. Waiting emails are sent within an hour.',
    role: 'owner',
    responses: { 200: { description: 'The sender.', schema: single(senderResponse) } },
    async handle({ caller }, dependencies) {
      const { em } = dependencies
      await endWarmUp(em.fork(), caller.workspace.id)
      return respondWith(dependencies, await getSender(em, caller.workspace.id))
    },
  }),
  operation({
    id: 'checkSender',
    method: 'POST',
    path: '/sender/check',
    tag: 'Settings',
    summary: 'Check the DNS records',
    description: 'Looks up the required DNS records and reports errors.',
    role: 'viewer',
    changesNothing: true,
    responses: { 200: { description: 'Each record with its status.', schema: single(checkResponse) } },
    async handle({ caller }, { em, dns, publicUrl }) {
      const records = await recordsOf(em, publicUrl, await getSender(em, caller.workspace.id))
      return ok(await checkRecords(dns, records))
    },
  }),
]
