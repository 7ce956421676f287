import { boolean, object, string } from 'yup'
import { cursor, cursorQuery, EXAMPLE_ID, givenId, instant } from '../http/index.ts'
import { MESSAGE_OUTCOMES, MESSAGE_STATUSES } from './message.ts'
import { RETRYABLE } from './transitions.ts'

const range = {
  since: instant('Only messages first due at this time or later.'),
  until: instant('Only messages first due before this time.'),
}

const ofContact = (
  description = 'Only messages to this contact: its ID, `email:` with its address, or `external:` with its externalId.',
) => string().meta({ description, example: EXAMPLE_ID })

export const OUTCOME_OF_NO_CAMPAIGN = 'outcome requires campaignId'

/** `GET /messages`. */
export const messagesQuery = cursorQuery({
  status: string().oneOf(MESSAGE_STATUSES).meta({ description: 'Only messages in this status.', example: 'FAILED' }),
  automationId: string().meta({ description: 'Only messages of this automation.', isId: true, example: EXAMPLE_ID }),
  campaignId: string().meta({ description: 'Only messages of this campaign.', isId: true, example: EXAMPLE_ID }),
  outcome: string().oneOf(MESSAGE_OUTCOMES).meta({
    description:
      'Only messages that a report counts with this outcome. NOT_OPENED messages were delivered. Requires campaignId.',
    example: 'OPENED',
  }),
  contactId: ofContact(
    'Only messages to this contact: its ID, `email:` with its address, or `external:` with its externalId. `email:` also ' +
      'finds transactional emails to an address without a contact.',
  ),
  ...range,
}).test({
  name: 'outcome',
  message: OUTCOME_OF_NO_CAMPAIGN,
  test: ({ outcome, campaignId }) => outcome === undefined || campaignId !== undefined,
})

const evenIfSent = () =>
  boolean().meta({
    description: 'Must be true for UNCONFIRMED messages, which may arrive twice, under the same Message-ID.',
    example: false,
  })

/** `POST /messages/{id}/retry`. */
export const retrySchema = object({ evenIfSent: evenIfSent() })

/** `POST /messages/retry`. */
export const retriesSchema = object({
  status: string()
    .oneOf(RETRYABLE)
    .required()
    .meta({ description: 'The status of the messages to retry.', example: 'FAILED' }),
  automationId: givenId('Only messages of this automation.'),
  campaignId: givenId('Only messages of this campaign.'),
  contactId: ofContact(),
  ...range,
  evenIfSent: evenIfSent(),
  cursor: cursor(),
})
