import { object, string } from 'yup'
import { SUPPRESSION_REASONS } from '../contacts/index.ts'
import { atMost, cursorQuery, text } from '../http/index.ts'
import { isEmailAddress } from '../platform/email-address.ts'

const REASONS =
  'UNSUBSCRIBED and IMPORTED keep marketing from an address; BOUNCED, COMPLAINED and MANUAL every email, a receipt as well.'

const reason = () => string().oneOf(SUPPRESSION_REASONS)

/** `GET /suppressions`. */
export const suppressionsQuery = cursorQuery({
  email: text().test(atMost(1_000)).meta({ description: 'Only those of this address.', example: 'ada@example.com' }),
  reason: reason().meta({ description: 'Only those for this reason.', example: 'UNSUBSCRIBED' }),
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
      description: 'Compared without case. There need be no contact who has it.',
      json: { format: 'email' },
      example: 'ada@example.com',
    }),
  reason: reason().meta({ description: `${REASONS} Without one, MANUAL.`, example: 'MANUAL' }),
  note: text().nullable().test(atMost(1_000)).meta({ description: 'For people.', example: 'Asked by phone' }),
}).meta({ component: 'SuppressionInput' })
