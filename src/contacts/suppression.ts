import type { EmailCategory } from '../automation-engine/index.ts'

/**
 * Why an address is not mailed:
 * - UNSUBSCRIBED, IMPORTED: its owner wants no marketing, by a link of ours or by what another service knew
 * - BOUNCED, COMPLAINED: there is no such mailbox, or its owner has called our mail spam
 * - MANUAL: somebody who runs the workspace has decided so
 */
export const SUPPRESSION_REASONS = ['UNSUBSCRIBED', 'BOUNCED', 'COMPLAINED', 'MANUAL', 'IMPORTED'] as const
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number]

/** Which of them keep a receipt from somebody, too. The weightiest first: of several it is the one that is told. */
const AGAINST_ALL: readonly SuppressionReason[] = ['COMPLAINED', 'BOUNCED', 'MANUAL']
const AGAINST_MARKETING: readonly SuppressionReason[] = ['UNSUBSCRIBED', 'IMPORTED']

/**
 * Why a message is not sent: by its address; because its contact has left the list that its automation is of; because she has not
 * confirmed yet that it was she who has signed up; or because she is not asked any more to confirm what it asks her to.
 */
export const SUPPRESSED_BY = [...SUPPRESSION_REASONS, 'LEFT_LIST', 'UNCONFIRMED', 'NOT_PENDING'] as const
export type SuppressedBy = (typeof SUPPRESSED_BY)[number]

/** Of several reasons, the first of these is the one that is told. */
export const WEIGHTIEST_FIRST: readonly SuppressedBy[] = [
  ...AGAINST_ALL,
  ...AGAINST_MARKETING,
  'UNCONFIRMED',
  'LEFT_LIST',
  'NOT_PENDING',
]

/** What is said of a message that is not sent, by its reason: the ledger keeps it, and an account goes by it. */
export const SUPPRESSED_WORDS: Readonly<Record<SuppressedBy, string>> = {
  COMPLAINED: 'The contact has called earlier mail spam',
  BOUNCED: 'The address has bounced: there is no such mailbox',
  MANUAL: 'The address is suppressed by hand',
  UNSUBSCRIBED: 'The contact has unsubscribed',
  IMPORTED: 'The contact had unsubscribed where it was imported from',
  LEFT_LIST: 'The contact has left the list',
  UNCONFIRMED: 'The contact has not confirmed the sign-up',
  NOT_PENDING: 'The contact has nothing to confirm: it is confirmed already, or was asked at another address',
}

/** Whether a reason keeps mail of a category from somebody. */
export const suppresses = (reason: SuppressionReason, category: EmailCategory): boolean =>
  category === 'marketing' || AGAINST_ALL.includes(reason)

const quoted = (reasons: readonly string[]): string => reasons.map((reason) => `'${reason}'`).join(', ')

/**
 * An expression of SQL: why a row `contact` is not to be sent an email, or null.
 *
 * @param category an expression for the email's category, null for marketing
 * @param listId an expression for the list, as text, that it is sent because of, or null
 */
export const suppressedBy = (category: string, listId: string): string => `(
  select reason from (
    select reason from suppressions
    where workspace_id = contact.workspace_id
      and address_hash = address_hash(contact.workspace_id, contact.email_key)
      and (reason in (${quoted(AGAINST_ALL)}) or ${category} is distinct from 'transactional')
    union all
    select 'LEFT_LIST' from list_opt_outs
    where contact_id = contact.id and list_id::text = ${listId} and ${category} is distinct from 'transactional'
    union all
    select 'UNCONFIRMED' where contact.unconfirmed and ${category} is distinct from 'transactional'
      -- Whoever has put her into another list knows her.
      and not exists (select from list_members where contact_id = contact.id)
  ) reasons
  order by array_position(array[${quoted([...AGAINST_ALL, ...AGAINST_MARKETING, 'UNCONFIRMED', 'LEFT_LIST'])}], reason) limit 1
)`
