import { array, number, object, string, type InferType } from 'yup'
import { count, nullableText } from '../http/index.ts'
import type { ReceivedCalls } from './receive-calls.ts'

export const receivedResponse = object({
  received: count('The number of calls in the request.'),
  ignored: count('The number of page and screen calls, and of calls whose messageId occurs earlier in the batch.', 0),
  kept: count(
    'The number of calls of users who are not known yet. They are applied if that changes within 10 minutes.',
    0,
  ),
  errors: array()
    .of(
      object({
        index: number().integer().min(0).required().meta({ description: 'The index of the call, from 0.', example: 3 }),
        messageId: nullableText('The messageId of the call.', 'm-1'),
        error: string().required().meta({ example: 'No contact has this userId. Send traits.email to create it.' }),
      }).required(),
    )
    .required()
    .meta({ description: 'The errors of the calls that were not applied.', example: [] }),
})
  .required()
  .meta({ component: 'ReceivedCalls' })

/** @param messageIds those of all calls */
export const presentReceived = (
  messageIds: readonly (string | null)[],
  { ignored, kept, errors }: ReceivedCalls,
  invalid: ReceivedCalls['errors'],
): InferType<typeof receivedResponse> => ({
  received: messageIds.length,
  ignored,
  kept,
  errors: [...invalid, ...errors]
    .toSorted((a, b) => a.index - b.index)
    .map(({ index, error }) => ({ index, messageId: messageIds[index] ?? null, error })),
})
