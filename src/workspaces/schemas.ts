import { array, number, object, string } from 'yup'
import { atMost, DEFAULT_RATE_LIMIT, filledText, MAX_NAME_LENGTH, SCOPES } from '../http/index.ts'
import { isAddressRange } from '../platform/address-ranges.ts'
import { isTimeZone } from '../platform/time-zone.ts'
import { isTimestamp } from '../platform/timestamp.ts'

const name = (description: string, example: string) =>
  filledText()
    .required()
    .test(atMost(MAX_NAME_LENGTH))
    .matches(/^\P{Cc}*$/u, ({ path }) => `${path} must not contain line breaks or control characters`)
    .meta({ description, example })

export const apiKeyInput = object({
  name: name('The purpose of the key.', 'Checkout'),
  scopes: array()
    .of(string().oneOf(SCOPES).required())
    .min(1)
    .required()
    .meta({ description: 'The permissions of the key.', example: ['contacts:write'] }),
  allow: array()
    .of(
      string()
        .required()
        .test(
          'range',
          'allow must contain IP addresses, such as 203.0.113.7, or CIDR ranges, such as 10.0.0.0/8',
          (value) => isAddressRange(value),
        ),
    )
    .max(100)
    .meta({
      description: 'The IP addresses and ranges that may use the key. Defaults to all.',
      example: ['203.0.113.0/24'],
    }),
  rateLimit: number()
    .integer()
    .min(1)
    .max(1_000_000)
    .default(DEFAULT_RATE_LIMIT)
    .meta({ description: 'Maximum requests per 60 seconds.', example: 120 }),
  expiresAt: string()
    .nullable()
    .test('instant', 'expiresAt must be in the future, such as 2027-01-31T12:00:00Z', (value) =>
      value == null ? true : isTimestamp(value) && new Date(value) > new Date(),
    )
    .meta({
      description: 'When the key expires. If missing, never.',
      json: { format: 'date-time' },
    }),
})

/** One year. A longer overlap would defeat the purpose of a rotation. */
const MAX_OVERLAP_HOURS = 8_760

/** `PATCH /api-keys/{id}`. */
export const apiKeyChange = object({
  name: name('The purpose of the key.', 'Checkout').optional(),
  rateLimit: number()
    .integer()
    .min(1)
    .max(1_000_000)
    .meta({ description: 'Maximum requests per 60 seconds.', example: 600 }),
}).meta({ description: 'The fields to change, at least one.', json: { minProperties: 1 }, example: { rateLimit: 600 } })

export const rotationInput = object({
  overlapHours: number()
    .min(0)
    .max(MAX_OVERLAP_HOURS)
    .default(24)
    .meta({ description: 'Hours for which the old key stays valid.', example: 24 }),
})

/** Ten years. */
const MAX_RETENTION_DAYS = 3_650

/** Retries, bounces and deliveries that are under way need the messages of the last days. */
const MIN_HISTORY_DAYS = 30

const days = (description: string, example: number) =>
  number().integer().min(1).max(MAX_RETENTION_DAYS).meta({ description, example })

/** `PATCH /workspace`. The route checks that there is a change. */
export const workspaceInput = object({
  name: name('The name of the workspace.', 'Orchard').notRequired().nonNullable(),
  timezone: string()
    .test({
      name: 'timezone',
      message: ({ path }) => `${path} must be a time zone such as Europe/Berlin`,
      test: (value) => value === undefined || isTimeZone(value),
    })
    .meta({
      description: 'The time zone for contacts without a valid metadata.timezone: an IANA name.',
      example: 'Europe/Berlin',
    }),
  eventRetentionDays: days('Days for which custom events are stored.', 396),
  contentRetentionDays: days('Days for which the content of emails is stored after they were sent.', 30),
  historyRetentionDays: days(
    'Days for which messages and the steps of ended enrollments are stored, at least 30. Null keeps them.',
    730,
  )
    .min(MIN_HISTORY_DAYS)
    .nullable(),
}).meta({ json: { minProperties: 1 } })
