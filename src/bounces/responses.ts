import { boolean, object, string, type InferType } from 'yup'
import { id, timestamp, nullableText } from '../http/index.ts'
import type { FeedbackSource } from './entities.ts'
import type { Provider } from './providers/index.ts'
import type { BounceRow } from './queries.ts'
import { BOUNCE_KINDS } from './verdict.ts'

export const bounceResponse = object({
  id: id('bounce'),
  contactId: id('contact'),
  message: object({
    id: id('message'),
    messageId: nullableText('Its Message-ID header.', '<5f2c@example.com>'),
  }).required(),
  kind: string().oneOf(BOUNCE_KINDS).required().meta({ example: 'HARD' }),
  status: nullableText('An enhanced status code (RFC 3463), where anybody has said one.', '5.1.1'),
  diagnostic: nullableText('What the other mail server said.', 'smtp; 550 5.1.1 User unknown'),
  source: string()
    .required()
    .meta({ description: 'Who told it: smtp, which is mail that came back, or a provider.', example: 'smtp' }),
  createdAt: timestamp('When it was told.'),
})
  .required()
  .meta({ component: 'Bounce', description: 'What came back of a message, once of each kind.' })

export const presentBounce = (row: BounceRow): InferType<typeof bounceResponse> => ({
  id: row.id,
  contactId: row.contactId,
  message: row.message,
  kind: row.kind,
  status: row.status,
  diagnostic: row.diagnostic,
  source: row.source,
  createdAt: row.createdAt.toISOString(),
})

export const sourceResponse = object({
  provider: string().required().meta({ example: 'postmark' }),
  url: string()
    .required()
    .meta({ description: 'What it has to call.', example: `https://mail.example.com/feedback/postmark/…` }),
  credential: string()
    .required()
    .meta({ description: 'What proves its calls.', example: 'The HTTP webhook signing key' }),
  isSet: boolean().required().meta({ description: 'Whether that is known: its calls are heard then.', example: true }),
  lastUsedAt: timestamp('When it called last, to the minute.').nullable().defined(),
})
  .required()
  .meta({ component: 'FeedbackSource', description: 'A mail provider that may tell what came back.' })

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
