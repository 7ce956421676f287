import { object, string } from 'yup'
import { SUPPRESSION_REASONS } from '../contacts/index.ts'
import { atMost, cursorQuery, text } from '../http/index.ts'
import { isEmailAddress } from '../platform/email-address.ts'

const REASONS =
  'UNSUBSCRIBED and IMPORTED stop marketing emails. BOUNCED, COMPLAINED and MANUAL stop all emails, including receipts.'

const reason = () => string().oneOf(SUPPRESSION_REASONS)

/** `GET /suppressions`. */
export const suppressionsQuery = cursorQuery({
  email: text().test(atMost(1_000)).meta({ description: 'Filter by address.', example: 'ada@example.com' }),
  reason: reason().meta({ description: 'Filter by reason.', example: 'UNSUBSCRIBED' }),
})

/** `POST /suppressions`. */
export const suppressionSchema = object({
  email: string()
    .required('email is required')
    .test({
      name: 'email',
      message: 'Invalid email address',
      test: (value) => value === undefined || isEmailAddress(value.trim()),
    })
    .meta({
      description: 'Compared without case. The address does not need to belong to a contact.',
      json: { format: 'email' },
      example: 'ada@example.com',
    }),
  reason: reason().meta({ description: `${REASONS} The default is MANUAL.`, example: 'MANUAL' }),
  note: text().nullable().test(atMost(1_000)).meta({ description: 'A note for your team.', example: 'Asked by phone' }),
}).meta({ component: 'SuppressionInput' })
