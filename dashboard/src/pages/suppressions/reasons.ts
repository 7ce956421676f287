import type { Schemas } from '../../api/client.ts'
import { count } from '../../lib/format.ts'

export type Reason = Schemas['Suppression']['reason']

export const REASON_LABELS: Record<Reason, string> = {
  UNSUBSCRIBED: 'Unsubscribed',
  BOUNCED: 'Hard bounce',
  COMPLAINED: 'Spam complaint',
  MANUAL: 'Added manually',
  IMPORTED: 'Imported opt-out',
}

/** Names the reasons why some contacts are not emailed. */
export const leftOutText = (
  suppressed: readonly { reason: NonNullable<Schemas['Contact']['suppressedBy']>; count: number }[],
): string =>
  suppressed
    .map(({ reason, count: many }) => {
      const label = reason === 'UNCONFIRMED' ? 'not confirmed' : REASON_LABELS[reason].toLowerCase()
      return `${count(many)} ${label}`
    })
    .join(', ')

/** Explains why a contact is not emailed. */
export const suppressionText = (by: NonNullable<Schemas['Contact']['suppressedBy']>): string => {
  if (by === 'UNCONFIRMED') return 'No marketing email: not confirmed yet'
  const isAll = by === 'BOUNCED' || by === 'COMPLAINED' || by === 'MANUAL'
  return `${isAll ? 'No email' : 'No marketing email'}: ${REASON_LABELS[by].toLowerCase()}`
}

export const REASONS = Object.keys(REASON_LABELS) as Reason[]
