import { array, boolean, number, object, string, type InferType } from 'yup'
import { type ApiDependencies, atMost, filledText, operation, single, text, ok, warn } from '../http/index.ts'
import { readBounceDomain, readMailSender, readPublicUrl } from '../instance/index.ts'
import { domainOf, isEmailAddress } from '../platform/email-address.ts'
import { invalid } from '../platform/api-error.ts'
import { SECRETS_KEY_MISSING } from '../platform/secrets-key.ts'
import { checkDomain } from './check-domain.ts'
import { createDkimKey, deleteDkimKeys, readDkimKeys, switchDkimKey } from './dkim-keys.ts'
import { type DkimKeys, type DnsRecord, recordsFor } from './dns-records.ts'
import type { SenderSettings } from './entities.ts'
import {
  DKIM_KEY_MISSING,
  DKIM_RECORD_MISSING,
  DKIM_SELECTOR_IN_USE,
  DOMAIN_OF_ANOTHER,
  FROM_ADDRESS_MISSING,
} from './errors.ts'
import { proofOf, recordProof } from './proven-domain-queries.ts'
import { contrastWithPage, MIN_CONTRAST } from './contrast.ts'
import { hasMediaFile } from './sender-queries.ts'
import { getSender, setSender } from './settings.ts'
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

const COLOR = /^#[0-9a-f]{6}$/i
const NO_LOGO = 'logoUrl must be the URL of a media file of this workspace'
/** The URL of a media file, or its path, and its hash. */
const LOGO = /^(?:https?:\/\/[^/?#\s]+)?(\/m\/([\w-]{32})\.(?:png|jpg|gif))$/

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
  brandColor: string()
    .nullable()
    .matches(COLOR, 'brandColor must be a color such as #2f6b45')
    .test({
      name: 'contrast',
      message: `brandColor must have a contrast of ${MIN_CONTRAST}:1 with a white page: choose a darker color`,
      test: (value) => value == null || !COLOR.test(value) || contrastWithPage(value) >= MIN_CONTRAST,
    })
    .meta({
      description: 'The color of the pages for recipients: preferences and confirmation.',
      json: { pattern: '^#[0-9A-Fa-f]{6}$' },
      example: '#2f6b45',
    }),
  logoUrl: string().nullable().max(2_000).matches(LOGO, NO_LOGO).meta({
    description: 'The URL of a media file, shown on the pages for recipients.',
    example: 'https://mail.example.com/m/gk2X0b8W5Zq1yYt3nL7sVh4pRd6cFa9E.png',
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
      description:
        'The DKIM selector, which is part of the name of the DNS record. If missing, a new one is chosen. Each key needs its own.',
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
    .oneOf(['SPF', 'DKIM', 'DKIM_NEXT', 'DKIM_PREVIOUS', 'DMARC', 'RETURN_PATH'] as const)
    .required()
    .meta({ description: 'DKIM is the key that signs, DKIM_NEXT the next one, and DKIM_PREVIOUS the one before.' }),
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
  brandColor: nullable('#2f6b45'),
  logoUrl: nullable(null).meta({ description: 'The path of the media file.' }),
  trackOpens: boolean()
    .required()
    .meta({ description: 'Whether opens of marketing emails are tracked.', example: false }),
  trackClicks: boolean()
    .required()
    .meta({ description: 'Whether clicks in marketing emails are tracked.', example: false }),
  isSigned: boolean().required().meta({ description: 'Whether mail is signed (DKIM).', example: true }),
  dkimSelector: nullable('dripline').meta({ description: 'The selector of the key that signs.' }),
  nextDkimSelector: nullable(null).meta({
    description: 'The selector of the next key, which signs after its record is published and you switch to it.',
  }),
  warmUp: warmUpResponse.optional(),
  records: array().of(object(record).required()).required().meta({ description: 'The required DNS records.' }),
})
  .required()
  .meta({ component: 'Sender', description: 'The sender of the workspace.' })

const mechanism = (description: string) =>
  object({
    domain: nullable('bounces.example.com').meta({ description: 'The domain that it authenticates.' }),
    status: string()
      .oneOf(['PASS', 'NOT_ALIGNED', 'FAIL', 'UNKNOWN'] as const)
      .required()
      .meta({
        description:
          'FAIL: the record is missing or wrong, or emails are not signed. NOT_ALIGNED: the domain does not align with From. UNKNOWN: a lookup failed.',
      }),
  })
    .required()
    .meta({ description })

const checkResponse = object({
  records: array()
    .of(
      object({
        ...record,
        status: string()
          .oneOf(['OK', 'MISSING', 'WRONG', 'UNKNOWN'] as const)
          .required()
          .meta({ example: 'OK' }),
        found: array().of(string().required()).required().meta({ example: [] }),
        problem: nullable(null),
        lookups: number().integer().nullable().defined().meta({
          description: 'DNS lookups that the SPF record causes. Receivers allow 10. Null for other records.',
          example: 4,
        }),
      }).required(),
    )
    .required(),
  dmarc: object({
    result: string()
      .oneOf(['PASS', 'FAIL', 'NONE', 'UNKNOWN'] as const)
      .required()
      .meta({
        description: 'NONE: no DMARC record applies. UNKNOWN: a lookup failed.',
        example: 'PASS',
      }),
    summary: string().required().meta({ example: 'DMARC passes on SPF and DKIM.' }),
    advice: nullable(null),
    fromDomain: string().required().meta({ description: 'The domain of the From address.', example: 'example.com' }),
    policy: string()
      .nullable()
      .oneOf(['none', 'quarantine', 'reject', null] as const)
      .defined()
      .meta({ description: 'The policy that receivers apply, with sp, np and t considered.', example: 'none' }),
    policyDomain: nullable('example.com').meta({ description: 'The domain whose DMARC record applies.' }),
    spf: mechanism('SPF of the return path.'),
    dkim: mechanism('DKIM of the key that signs.'),
  })
    .nullable()
    .defined()
    .meta({ description: 'The result of DMARC (RFC 9989) for these emails. Null if no sender is configured.' }),
  warnings: array()
    .of(
      object({
        code: string()
          .oneOf(['free_mail_domain', 'mx_missing', 'null_mx'] as const)
          .required(),
        message: string().required().meta({ example: 'example.com has no MX record.' }),
      }).required(),
    )
    .required()
    .meta({ description: 'Problems of the From domain.', example: [] }),
  zone: object({
    name: string().required().meta({ example: 'example.com' }),
    nameServers: array()
      .of(string().required())
      .required()
      .meta({ example: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'] }),
  })
    .nullable()
    .defined()
    .meta({
      description: 'The DNS zone of the From domain, with the servers of its DNS provider. Null if none was found.',
    }),
})
  .required()
  .meta({ component: 'SenderCheck', description: 'The records as published, and what they mean for emails.' })

/** Settings and keys of a sender, and the DNS records that they require. */
interface Sender {
  settings: SenderSettings | null
  keys: DkimKeys
  bounceDomain: string | null
  records: DnsRecord[]
}

async function readSender(
  { em, publicUrl }: Pick<ApiDependencies, 'em' | 'publicUrl'>,
  workspaceId: string,
): Promise<Sender> {
  const settings = await getSender(em, workspaceId)
  const keys = await readDkimKeys(em, workspaceId)
  const bounceDomain = await readBounceDomain(em.fork())
  const url = publicUrl ?? (await readPublicUrl(em.fork()))
  const host = url == null ? 'YOUR-HOST' : new URL(url).hostname
  const records = recordsFor(settings ?? {}, keys, bounceDomain === null ? null : { domain: bounceDomain, host })
  return { settings, keys, bounceDomain, records }
}

const present = (
  { settings, keys, records }: Sender,
  warmUp: WarmUp | undefined,
): InferType<typeof senderResponse> => ({
  fromName: settings?.fromName ?? null,
  fromAddress: settings?.fromAddress ?? null,
  replyTo: settings?.replyTo ?? null,
  postalAddress: settings?.postalAddress ?? null,
  brandColor: settings?.brandColor ?? null,
  logoUrl: settings?.logoPath ?? null,
  trackOpens: settings?.trackOpens ?? false,
  trackClicks: settings?.trackClicks ?? false,
  isSigned: keys.SIGNING !== undefined,
  dkimSelector: keys.SIGNING?.selector ?? null,
  nextDkimSelector: keys.NEXT?.selector ?? null,
  ...(warmUp && { warmUp }),
  records,
})

async function respondWith(dependencies: Pick<ApiDependencies, 'em' | 'publicUrl'>, workspaceId: string) {
  const sender = await readSender(dependencies, workspaceId)
  const isWarmingUp = sender.settings?.warmUpSince != null
  return ok(present(sender, isWarmingUp ? await readWarmUp(dependencies.em.fork(), workspaceId) : undefined))
}

const unproven = (address: string): string =>
  `No workspace has proven ${domainOf(address)} yet: create a DKIM key, publish its record, and check it. Until then, other workspaces of this instance can send from it, too`

export const senderOperations = [
  operation({
    id: 'getSender',
    method: 'GET',
    path: '/sender',
    tag: 'Settings',
    summary: 'Get the sender',
    description: 'The sender of the workspace, with the DNS records that it requires.',
    scope: 'sender:read',
    responses: { 200: { description: 'The sender.', schema: single(senderResponse) } },
    async handle({ caller }, dependencies) {
      return respondWith(dependencies, caller.workspace.id)
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
    scope: 'sender:write',
    role: 'owner',
    body: senderInput,
    responses: { 200: { description: 'The sender.', schema: single(senderResponse) } },
    errors: { 409: [DOMAIN_OF_ANOTHER] },
    async handle({ caller, body: { logoUrl, ...body } }, dependencies) {
      const [, logoPath = null, hash] = LOGO.exec(logoUrl ?? '') ?? []
      if (hash !== undefined && !(await hasMediaFile(dependencies.em.fork(), caller.workspace.id, hash)))
        throw invalid(NO_LOGO, '/logoUrl')
      const input = { ...body, logoPath }
      const { fromAddress } = await setSender(dependencies.em, caller.workspace.id, input)
      const response = await respondWith(dependencies, caller.workspace.id)
      const isUnproven =
        fromAddress != null && (await proofOf(dependencies.em.fork(), caller.workspace.id, fromAddress)) === 'NONE'
      return isUnproven ? { ...response, headers: warn([unproven(fromAddress)]) } : response
    },
  }),
  operation({
    id: 'createDkimKey',
    method: 'POST',
    path: '/sender/dkim',
    tag: 'Settings',
    summary: 'Create a DKIM key',
    description:
      'Creates a key for the domain of fromAddress. The first key signs all mail from now on: publish its DNS record immediately. ' +
      'A further key becomes the next one: publish its record, then switch to it. The private key is stored encrypted with SECRETS_KEY.',
    role: 'owner',
    body: dkimInput,
    bodyOptional: true,
    responses: { 200: { description: 'The sender, with the record.', schema: single(senderResponse) } },
    errors: { 409: [SECRETS_KEY_MISSING, FROM_ADDRESS_MISSING, DKIM_SELECTOR_IN_USE] },
    async handle({ caller, body }, dependencies) {
      await createDkimKey(dependencies.em, dependencies.secrets, caller.workspace.id, body.selector)
      return respondWith(dependencies, caller.workspace.id)
    },
  }),
  operation({
    id: 'switchDkimKey',
    method: 'POST',
    path: '/sender/dkim/switch',
    tag: 'Settings',
    summary: 'Switch to the next DKIM key',
    description:
      'Checks the DNS record of the next key, and signs all mail with that key from now on. Keep the record of the previous key for ' +
      'a week, because emails in transit are signed with it.',
    role: 'owner',
    responses: { 200: { description: 'The sender.', schema: single(senderResponse) } },
    errors: { 409: [DKIM_KEY_MISSING, DKIM_RECORD_MISSING] },
    async handle({ caller }, dependencies) {
      await switchDkimKey(dependencies.em, dependencies.dns, caller.workspace.id)
      return respondWith(dependencies, caller.workspace.id)
    },
  }),
  operation({
    id: 'deleteDkimKey',
    method: 'DELETE',
    path: '/sender/dkim',
    tag: 'Settings',
    summary: 'Delete the DKIM keys',
    description: 'Deletes all keys. Mail is no longer signed.',
    role: 'owner',
    responses: { 200: { description: 'The sender.', schema: single(senderResponse) } },
    async handle({ caller }, dependencies) {
      await deleteDkimKeys(dependencies.em, caller.workspace.id)
      return respondWith(dependencies, caller.workspace.id)
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
      return respondWith(dependencies, caller.workspace.id)
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
      return respondWith(dependencies, caller.workspace.id)
    },
  }),
  operation({
    id: 'checkSender',
    method: 'POST',
    path: '/sender/check',
    tag: 'Settings',
    summary: 'Check the DNS records',
    description:
      'Looks up the required DNS records, reports errors, and judges whether emails pass DMARC: which of SPF and DKIM align with ' +
      'the From address, and which policy applies. A published DKIM record proves the domain: from then on, no other workspace can ' +
      'send from it.',
    role: 'viewer',
    changesNothing: true,
    responses: { 200: { description: 'The result of the check.', schema: single(checkResponse) } },
    async handle({ caller }, dependencies) {
      const { em, dns } = dependencies
      const { settings, keys, bounceDomain, records } = await readSender(dependencies, caller.workspace.id)
      const from = settings?.fromAddress ?? (await readMailSender(em.fork()))
      const fromDomain = from === null ? undefined : domainOf(from)?.toLowerCase()
      const checked = await checkDomain(dns, { records, keys, fromDomain, returnDomain: bounceDomain ?? fromDomain })
      const isPublished = checked.records.some(({ what, status }) => what === 'DKIM' && status === 'OK')
      if (isPublished && keys.SIGNING) await recordProof(em.fork(), caller.workspace.id, keys.SIGNING.domain)
      return ok(checked)
    },
  }),
]
