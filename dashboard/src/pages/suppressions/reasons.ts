import type { Schemas } from '../../api/client.ts'

export type Reason = Schemas['Suppression']['reason']

/** Why an address is not mailed, as people say it. */
export const REASON_LABELS: Record<Reason, string> = {
  UNSUBSCRIBED: 'Unsubscribed',
  BOUNCED: 'Bounced: no mailbox',
  COMPLAINED: 'Called it spam',
  MANUAL: 'By hand',
  IMPORTED: 'Imported opt-out',
}

/** Why a contact is not mailed, for whoever looks at her. */
export const suppressionText = (by: NonNullable<Schemas['Contact']['suppressedBy']>): string => {
  if (by === 'UNCONFIRMED') return 'Gets no marketing: has not confirmed anything yet'
  const isAll = by === 'BOUNCED' || by === 'COMPLAINED' || by === 'MANUAL'
  return `Gets no ${isAll ? 'email' : 'marketing'}. ${REASON_LABELS[by]}`
}

export const REASONS = Object.keys(REASON_LABELS) as Reason[]
