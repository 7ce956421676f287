import type { Schemas } from '../../api/client.ts'

export type Reason = Schemas['Suppression']['reason']

/** Why an address is not mailed, as people say it. */
export const REASON_WORDS: Record<Reason, string> = {
  UNSUBSCRIBED: 'Unsubscribed',
  BOUNCED: 'Bounced: no mailbox',
  COMPLAINED: 'Called it spam',
  MANUAL: 'By hand',
  IMPORTED: 'Imported opt-out',
}

export const REASONS = Object.keys(REASON_WORDS) as Reason[]
