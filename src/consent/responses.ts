import { array, object, string, type InferType } from 'yup'
import { SUPPRESSION_REASONS, type SuppressionRow } from '../contacts/index.ts'
import { id, timestamp, writtenResponse, nullableText } from '../http/index.ts'
import { CONSENT_ACTORS, type ConsentChange, MAX_CONSENT_CHANGES } from './history.ts'

export const suppressionResponse = object({
  id: id('suppression'),
  email: nullableText('The address; null if its contact was erased.', 'ada@example.com'),
  reason: string().oneOf(SUPPRESSION_REASONS).required().meta({ example: 'MANUAL' }),
  note: string().nullable().defined().meta({ example: null }),
  createdAt: timestamp('When the address was suppressed.'),
})
  .required()
  .meta({ component: 'Suppression', description: 'An address that is not emailed, and the reason.' })

/**
 * The response to creating a suppression. For a key that may not read contacts, it does not reveal why the address is suppressed.
 */
export const writtenSuppressionResponse = writtenResponse(suppressionResponse, {
  component: 'WrittenSuppression',
  scope: 'contacts:read',
})

export const presentSuppression = (row: SuppressionRow): InferType<typeof suppressionResponse> => ({
  id: row.id,
  email: row.email,
  reason: row.reason,
  note: row.note,
  createdAt: row.createdAt.toISOString(),
})

const consentChangeResponse = object({
  at: timestamp('When the change was made.'),
  change: string()
    .oneOf(['SUPPRESSED', 'UNSUBSCRIBED', 'JOINED_LIST', 'LEFT_LIST', 'ASKED_TO_CONFIRM'] as const)
    .required()
    .meta({
      description:
        'SUPPRESSED: the address is suppressed. UNSUBSCRIBED: the contact used the unsubscribe link of an email; they had unsubscribed before, or were subscribed again later. ' +
        'ASKED_TO_CONFIRM: the contact has not confirmed the list yet.',
      example: 'SUPPRESSED',
    }),
  by: string()
    .nullable()
    .oneOf([...CONSENT_ACTORS, null] as const)
    .defined()
    .meta({ description: 'Who made the change; null if it is not known.', example: 'CONTACT' }),
  reason: string()
    .nullable()
    .oneOf([...SUPPRESSION_REASONS, null] as const)
    .defined()
    .meta({ description: 'The reason for the suppression; null for other changes.', example: 'UNSUBSCRIBED' }),
  note: nullableText('The note of the suppression.'),
  listId: nullableText('The list; null if the change is not about a list.'),
  listName: nullableText('The name of the list; null if it was deleted.'),
  messageId: nullableText('The message by whose link the contact unsubscribed.'),
  subject: nullableText('The subject of that message; null if it is no longer stored.', 'Half of your trial'),
})
  .required()
  .meta({ component: 'ConsentChange', description: "A change of a contact's consent." })

export const consentHistoryResponse = array()
  .of(consentChangeResponse)
  .required()
  .meta({ description: `The latest ${MAX_CONSENT_CHANGES} changes, newest first.` })

export const presentConsentChange = ({
  at,
  message,
  ...change
}: ConsentChange): InferType<typeof consentChangeResponse> => ({
  ...change,
  at: at.toISOString(),
  messageId: message?.id ?? null,
  subject: message?.subject ?? null,
})
