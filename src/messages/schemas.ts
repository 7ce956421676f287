import { boolean, object, string } from 'yup'
import { cursor, cursorQuery, EXAMPLE_ID, givenId, instant } from '../http/index.ts'
import { MESSAGE_STATUSES } from './message.ts'
import { RETRYABLE } from './transitions.ts'

const range = {
  since: instant('Only those first to be sent at this time or later.'),
  until: instant('Only those first to be sent before this time.'),
}

const ofContact = () =>
  string().meta({
    description: 'Only those to this contact: its id; or `email:` and its address; or `external:` and its externalId.',
    example: EXAMPLE_ID,
  })

/** `GET /messages`. */
export const messagesQuery = cursorQuery({
  status: string().oneOf(MESSAGE_STATUSES).meta({ description: 'Only those in this status.', example: 'FAILED' }),
  automationId: string().meta({ description: 'Only those of this automation.', isId: true, example: EXAMPLE_ID }),
  campaignId: string().meta({ description: 'Only those of this campaign.', isId: true, example: EXAMPLE_ID }),
  contactId: ofContact(),
  ...range,
})

const evenIfSent = () =>
  boolean().meta({
    description: 'Has to be true for what is UNCONFIRMED: it may arrive twice, under the same Message-ID.',
    example: false,
  })

/** `POST /messages/{id}/retry`. */
export const retrySchema = object({ evenIfSent: evenIfSent() })

/** `POST /messages/retry`. */
export const retriesSchema = object({
  status: string().oneOf(RETRYABLE).required().meta({ description: 'Which are tried again.', example: 'FAILED' }),
  automationId: givenId('Only those of this automation.'),
  campaignId: givenId('Only those of this campaign.'),
  contactId: ofContact(),
  ...range,
  evenIfSent: evenIfSent(),
  cursor: cursor(),
})
