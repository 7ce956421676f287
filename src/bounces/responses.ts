import { boolean, object, string, type InferType } from 'yup'
import { id, timestamp, nullableText } from '../http/index.ts'
import type { FeedbackSource } from './entities.ts'
import type { Provider } from './providers/index.ts'
import type { BounceRow } from './queries.ts'
import { BOUNCE_CATEGORIES, BOUNCE_KINDS } from './categories.ts'

export const bounceResponse = object({
  id: id('bounce'),
  contactId: id('contact')
    .nullable()
    .defined()
    .meta({ description: 'Null if the email went to an address without a contact.' }),
  message: object({
    id: id('message'),
    messageId: nullableText('The Message-ID header.', '<5f2c@example.com>'),
  }).required(),
  kind: string().oneOf(BOUNCE_KINDS).required().meta({ example: 'HARD' }),
  category: string()
    .nullable()
    .defined()
    .oneOf([...BOUNCE_CATEGORIES, null])
    .meta({
      description: 'The cause of the failure. Null for COMPLAINT and UNSUBSCRIBE.',
      example: 'MAILBOX_NOT_FOUND',
    }),
  status: nullableText('The enhanced status code (RFC 3463), if the report has one.', '5.1.1'),
  diagnostic: nullableText('The response of the other mail server.', 'smtp; 550 5.1.1 User unknown'),
  providerVerdict: nullableText(
    'The mail provider’s own classification, if it reported the bounce.',
    'Permanent/NoEmail',
  ),
  source: string().required().meta({
    description:
      'The source of the report: smtp for returned mail, rejection if the mail server rejected the email, or a provider.',
    example: 'smtp',
  }),
  createdAt: timestamp('When it was reported.'),
})
  .required()
  .meta({
    component: 'Bounce',
    description:
      'A bounce of a message. A message has at most one of each kind, and one more if it was rejected before a retry.',
  })

export const presentBounce = (row: BounceRow): InferType<typeof bounceResponse> => ({
  id: row.id,
  contactId: row.contactId,
  message: row.message,
  kind: row.kind,
  category: row.category,
  status: row.status,
  diagnostic: row.diagnostic,
  providerVerdict: row.providerVerdict,
  source: row.source,
  createdAt: row.createdAt.toISOString(),
})

export const sourceResponse = object({
  provider: string().required().meta({ example: 'postmark' }),
  url: string().required().meta({
    description: 'The webhook URL to configure at the provider.',
    example: `https://mail.example.com/feedback/postmark/…`,
  }),
  credential: string().required().meta({
    description: 'The kind of credential that authenticates calls of the provider.',
    example: 'The HTTP webhook signing key',
  }),
  isSet: boolean()
    .required()
    .meta({ description: 'Whether the credential is set. Calls are accepted only then.', example: true }),
  lastUsedAt: timestamp('When the provider last called, to the minute.').nullable().defined(),
})
  .required()
  .meta({ component: 'FeedbackSource', description: 'A mail provider that reports bounces and complaints.' })

export const presentSource = (
  { name, credential }: Provider,
  source: Pick<FeedbackSource, 'lastUsedAt'> | undefined,
  url: string,
): InferType<typeof sourceResponse> => ({
  provider: name,
  url,
  credential,
  isSet: source !== undefined,
  lastUsedAt: source?.lastUsedAt?.toISOString() ?? null,
})
