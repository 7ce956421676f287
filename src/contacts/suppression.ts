import type { EmailCategory } from '../automation-engine/index.ts'

/**
 * The reasons for a suppression:
 * - UNSUBSCRIBED, IMPORTED: the contact opted out of marketing, by a link in an email or in the service they were imported from
 * - BOUNCED: an email bounced because the mailbox does not exist
 * - COMPLAINED: the recipient reported an email as spam
 * - MANUAL: a member of the workspace suppressed the address
 */
export const SUPPRESSION_REASONS = ['UNSUBSCRIBED', 'BOUNCED', 'COMPLAINED', 'MANUAL', 'IMPORTED'] as const
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number]

/** The reasons that suppress transactional emails too, by priority. */
const AGAINST_ALL: readonly SuppressionReason[] = ['COMPLAINED', 'BOUNCED', 'MANUAL']
const AGAINST_MARKETING: readonly SuppressionReason[] = ['UNSUBSCRIBED', 'IMPORTED']

/** The reasons why a contact gets no marketing emails, whatever their lists. */
export const CONTACT_SUPPRESSED_BY = [...SUPPRESSION_REASONS, 'UNCONFIRMED'] as const
export type ContactSuppressedBy = (typeof CONTACT_SUPPRESSED_BY)[number]

/**
 * The reasons why a message is not sent: a suppression of the address; an opt-out from the list of the automation; an
 * unconfirmed sign-up; or no pending confirmation, for an email that requests one.
 */
export type SuppressedBy = SuppressionReason | 'LEFT_LIST' | 'UNCONFIRMED' | 'NOT_PENDING'

/** The reasons by priority: if several apply, the first is reported. */
export const REASONS_BY_PRIORITY: readonly SuppressedBy[] = [
  ...AGAINST_ALL,
  ...AGAINST_MARKETING,
  'UNCONFIRMED',
  'LEFT_LIST',
  'NOT_PENDING',
]

/** The error text of a suppressed message by its reason, for the delivery log and signed delivery reports. */
export const SUPPRESSED_ERRORS: Readonly<Record<SuppressedBy, string>> = {
  COMPLAINED: 'The contact reported an earlier email as spam',
  BOUNCED: 'An earlier email bounced because the mailbox does not exist',
  MANUAL: 'The address was suppressed manually',
  UNSUBSCRIBED: 'The contact has unsubscribed',
  IMPORTED: 'The contact had already opted out before they were imported',
  LEFT_LIST: 'The contact unsubscribed from the list',
  UNCONFIRMED: 'The contact has not confirmed their sign-up',
  NOT_PENDING: 'No confirmation is pending: the contact has already confirmed, or the request went to another address',
}

/** Returns whether a reason suppresses emails of a category. */
export const suppresses = (reason: SuppressionReason, category: EmailCategory): boolean =>
  category === 'marketing' || AGAINST_ALL.includes(reason)

const quoted = (reasons: readonly string[]): string => reasons.map((reason) => `'${reason}'`).join(', ')

/** SQL expression that orders reasons. */
const PRIORITY = `array_position(array[${quoted(REASONS_BY_PRIORITY)}], reason)`

/**
 * SQL expression: the reason why a row `contact` must not be sent an email, or null.
 *
 * @param category an expression for the email's category, null for marketing
 * @param listId an expression for the ID of the list because of which the email is sent, as text, or null
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
      -- A contact who is in any list counts as confirmed.
      and not exists (select from list_members where contact_id = contact.id)
  ) reasons
  order by ${PRIORITY} limit 1
)`

/**
 * SQL query: the `id` of each contact of a workspace who must not be sent an email, and the `reason`, like `suppressedBy` without
 * lists. It reads the suppressions first: hashing the address of each contact instead takes 3 s for 100,000 contacts.
 *
 * @param workspaceId an expression for the ID of the workspace
 * @param category an expression for the email's category
 */
export const suppressedContacts = (workspaceId: string, category: string): string => `(
  select distinct on (id) id, reason from (
    select of_address.id, reason from suppressions, lateral (
      select id from contacts where address_hash(workspace_id, email_key) = suppressions.address_hash limit 1
    ) of_address
    where workspace_id = ${workspaceId} and (reason in (${quoted(AGAINST_ALL)}) or ${category} <> 'transactional')
    union all
    select id, 'UNCONFIRMED' from contacts
    where workspace_id = ${workspaceId} and unconfirmed and ${category} <> 'transactional'
      and not exists (select from list_members where contact_id = contacts.id)
  ) reasons
  order by id, ${PRIORITY}
)`
