import type { EntityManager } from '../platform/db/orm.ts'
import type { EmailCategory } from '../sequences/index.ts'
import { readRecipientRows } from './recipients-queries.ts'
import { type SuppressedBy, type SuppressionReason, suppresses, WEIGHTIEST_FIRST } from './suppression.ts'

/** A contact as a message sees it: where it goes, and what keeps it from being sent. */
export interface Recipient {
  contactId: string
  email: string
  firstName: string | null
  metadata: Record<string, unknown>
  /** Changes whenever what may be sent to the contact changes: a claim compares it (optimistic lock). */
  consentVersion: number
  /** Why the contact's address is suppressed. */
  suppressions: readonly SuppressionReason[]
  /** The lists that the contact has left themselves. */
  optOutListIds: readonly string[]
  /** Whether the contact signed up and has not confirmed the sign-up. */
  isUnconfirmed: boolean
  isInAnyList: boolean
}

/** Reads recipients by contact ID, each of one moment. Contacts that are gone are left out. */
export async function readRecipients(em: EntityManager, ids: readonly string[]): Promise<Map<string, Recipient>> {
  const recipients = ids.length === 0 ? [] : await readRecipientRows(em, ids)
  return new Map(recipients.map((recipient) => [recipient.contactId, recipient]))
}

/**
 * Why a message must not be sent to a recipient; `null` where it may. Of several reasons it is the weightiest.
 *
 * @param message.listIds the lists because of which it is sent: an opt-out of one of them suppresses marketing
 */
export function suppressionOf(
  { suppressions, optOutListIds, isUnconfirmed, isInAnyList }: Recipient,
  { category, listIds }: { category: EmailCategory; listIds: readonly string[] },
): SuppressedBy | null {
  const reasons = new Set<SuppressedBy>(suppressions.filter((reason) => suppresses(reason, category)))
  if (category === 'marketing') {
    if (listIds.some((id) => optOutListIds.includes(id))) reasons.add('LEFT_LIST')
    // A member of any list is known: only a sign-up has to be confirmed.
    if (isUnconfirmed && !isInAnyList) reasons.add('UNCONFIRMED')
  }
  return WEIGHTIEST_FIRST.find((reason) => reasons.has(reason)) ?? null
}
