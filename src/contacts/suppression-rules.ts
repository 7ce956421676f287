import type { EmailCategory } from '../automation-engine/index.ts'
import type { Recipient } from './recipients-queries.ts'
import { type SuppressedBy, suppresses, REASONS_BY_PRIORITY } from './suppression.ts'

/**
 * Decides why a message must not be sent to a recipient; `null` if it may be sent. If there are several reasons, returns the one
 * with the highest priority.
 *
 * @param message.listIds the lists because of which it is sent: an opt-out from one of them suppresses marketing
 */
export function suppressionOf(
  {
    suppressions,
    optOutListIds,
    isUnconfirmed,
    isInAnyList,
  }: Pick<Recipient, 'suppressions' | 'optOutListIds' | 'isUnconfirmed' | 'isInAnyList'>,
  { category, listIds }: { category: EmailCategory; listIds: readonly string[] },
): SuppressedBy | null {
  const reasons = new Set<SuppressedBy>(suppressions.filter((reason) => suppresses(reason, category)))
  if (category === 'marketing') {
    if (listIds.some((id) => optOutListIds.includes(id))) reasons.add('LEFT_LIST')
    // A contact in any list counts as confirmed. Only sign-ups need a confirmation.
    if (isUnconfirmed && !isInAnyList) reasons.add('UNCONFIRMED')
  }
  return REASONS_BY_PRIORITY.find((reason) => reasons.has(reason)) ?? null
}
