import { object, string, type InferType } from 'yup'
import { SUPPRESSION_REASONS, type SuppressionRow } from '../contacts/index.ts'
import { id, timestamp, writtenResponse, nullableText } from '../http/index.ts'

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
