import { array, number, object, string } from 'yup'
import { atMost, DEFAULT_RATE_LIMIT, filledText, MAX_NAME_LENGTH, SCOPES } from '../http/index.ts'
import { isAddressRange } from '../platform/address-ranges.ts'
import { isTimestamp } from '../platform/timestamp.ts'

const name = (of: string, example: string) =>
  filledText()
    .required()
    .test(atMost(MAX_NAME_LENGTH))
    .matches(/^\P{Cc}*$/u, ({ path }) => `${path} must have no line breaks and no control characters`)
    .meta({ description: of, example })

export const apiKeyInput = object({
  name: name('What it is for.', 'Checkout'),
  scopes: array()
    .of(string().oneOf(SCOPES).required())
    .min(1)
    .required()
    .meta({ description: 'What it may do.', example: ['contacts:write'] }),
  allow: array()
    .of(
      string()
        .required()
        .test('range', 'An address must be one, such as 203.0.113.7, or a CIDR range, such as 10.0.0.0/8', (value) =>
          isAddressRange(value),
        ),
    )
    .max(100)
    .meta({
      description: 'From where it may be used; from anywhere where nothing is said.',
      example: ['203.0.113.0/24'],
    }),
  rateLimit: number()
    .integer()
    .min(1)
    .max(1_000_000)
    .default(DEFAULT_RATE_LIMIT)
    .meta({ description: 'Requests in any 60 seconds.', example: 120 }),
  expiresAt: string()
    .nullable()
    .test('instant', 'expiresAt must be an instant that is to come, such as 2027-01-31T12:00:00Z', (value) =>
      value == null ? true : isTimestamp(value) && new Date(value) > new Date(),
    )
    .meta({
      description: 'From then on it lets nobody in; never, where nothing is said.',
      json: { format: 'date-time' },
    }),
})

/** A year: who needs longer has no need to rotate. */
const MAX_OVERLAP_HOURS = 8_760

export const rotationInput = object({
  overlapHours: number()
    .min(0)
    .max(MAX_OVERLAP_HOURS)
    .default(24)
    .meta({ description: 'How long the old one still works.', example: 24 }),
})

export const workspaceInput = object({ name: name('Its name.', 'Orchard') })
