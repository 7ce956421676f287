import type { MessageStatus } from '../messages/index.ts'
import { type Fact, timeText } from './explanation.ts'

/** The sending of an email, as far as it is known. */
interface Delivery {
  status: MessageStatus
  error: string | null
  sentAt: Date | null
  dueAt?: Date | null
  waitsForWinner?: boolean
}

/** Returns whether an email was sent. @param email how sentences name it, such as `The email “Welcome”` */
export function deliveryFact(
  { status, error, sentAt, dueAt = null, waitsForWinner = false }: Delivery,
  title: string,
  email: string,
): Fact {
  const fact = { name: 'EMAIL', title, needs: 'sent' }
  const why = (error ?? 'sending failed').replace(/\.$/, '').replace(/^The /, 'the ').replace(/^An /, 'an ')
  switch (status) {
    case 'SENT': {
      const when = sentAt ? ` on ${timeText(sentAt)}` : ''
      return { ...fact, state: 'TRUE', found: `sent${when}`, sentence: `${email} was sent to the contact${when}.` }
    }
    case 'CAPTURED':
      return {
        ...fact,
        state: 'TRUE',
        found: 'captured',
        sentence: `${email} was captured: the workspace delivers no email.`,
      }
    case 'FAILED':
    case 'SUPPRESSED':
      return { ...fact, state: 'FALSE', found: `not sent: ${why}`, sentence: `${email} was not sent: ${why}.` }
    case 'UNCONFIRMED':
      return {
        ...fact,
        state: 'FALSE',
        found: 'unconfirmed',
        sentence: `${email} may or may not have arrived: the connection broke before the mail server answered.`,
      }
    case 'DISMISSED':
      return { ...fact, state: 'FALSE', found: 'dismissed', sentence: `${email} was dismissed, so it was not sent.` }
    case 'QUEUED':
    case 'SENDING':
    case 'DEFERRED':
      return { ...fact, state: 'OPEN', ...waiting({ status, dueAt, waitsForWinner }, email) }
  }
}

/** Describes an email that is still to be sent. */
function waiting(
  { status, dueAt, waitsForWinner }: Pick<Delivery, 'status' | 'dueAt' | 'waitsForWinner'>,
  email: string,
) {
  if (waitsForWinner)
    return {
      found: 'waiting for the winner of the A/B test',
      sentence: `${email} waits for the winner of the A/B test.`,
    }
  const when = dueAt ? `, due ${timeText(dueAt)}` : ''
  return status === 'DEFERRED'
    ? {
        found: `deferred${when}`,
        sentence: `The mail server deferred ${email.replace(/^T/, 't')}. Dripline will try again.`,
      }
    : { found: `waiting${when}`, sentence: `${email} waits to be sent.` }
}
