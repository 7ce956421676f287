import { newId } from '../../src/platform/ids.ts'
import type { Claim } from '../../src/messages/claim-queries.ts'

/** The first claim of a step's email to an address, which is to be handed over. */
export const aClaim = (key: Claim['key'], automationId: string, recipient: string) => ({
  key,
  automationId,
  messageId: newId(),
  claim: newId(),
  attempts: 0,
  holds: 0,
  recipient,
  consents: 0,
  header: '<of-a-test@example.com>',
  as: { status: 'SENDING' } as const,
})
