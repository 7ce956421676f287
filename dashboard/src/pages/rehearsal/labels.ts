import type { Schemas } from '../../api/client.ts'
import { ENROLLMENT_STATUS } from '../../components/StatusBadge.tsx'
import { plural } from '../../lib/format.ts'

export type SuppressedBy = NonNullable<Schemas['Contact']['suppressedBy']> | 'LEFT_LIST' | 'NOT_PENDING'

const NOT_SENT: Record<SuppressedBy, string> = {
  UNSUBSCRIBED: 'the contact has unsubscribed',
  BOUNCED: 'the address had a hard bounce',
  COMPLAINED: 'the contact reported spam',
  MANUAL: 'the address is suppressed',
  IMPORTED: 'the contact opted out before an import',
  UNCONFIRMED: 'the contact has not confirmed yet',
  LEFT_LIST: 'the contact left the list',
  NOT_PENDING: 'the contact has no request to confirm',
}

/** Explains why an email is not sent. */
export const notSentText = (by: string): string => NOT_SENT[by as SuppressedBy] ?? by

const NOT_ENROLLED: Record<string, string> = {
  FILTER: 'the contact does not match the entry filter',
  REENTRY: 'the re-entry rule does not allow another enrollment',
  KEY: 'the event has no value for the concurrency key',
  ALREADY_ENROLLED: 'the contact is already in the automation',
  NOT_TRIGGERED: 'nothing started the automation in this period',
}

/** Explains why a contact is not enrolled. @returns `undefined` for any other outcome */
export const notEnrolledText = (rule: string): string | undefined => NOT_ENROLLED[rule]

/** Names the end of a rehearsal for a contact. */
export function outcomeText(outcome: string): string {
  if (outcome === 'UNFINISHED') return 'Still enrolled'
  const refused = notEnrolledText(outcome)
  if (refused !== undefined) return `Not enrolled: ${refused}`
  return ENROLLMENT_STATUS[outcome as keyof typeof ENROLLMENT_STATUS]?.label ?? outcome
}

/** Names a difference to the current version: "1 fewer email". */
export function differenceText(difference: number): string {
  if (difference === 0) return 'the same number of emails'
  const word = difference < 0 ? 'fewer' : 'more'
  return plural(Math.abs(difference), `${word} email`)
}

/** Shortens a difference to the current version for a table: "+1". */
export const signedDifference = (difference: number): string =>
  difference === 0 ? 'Same' : `${difference > 0 ? '+' : '−'}${Math.abs(difference)}`

/** Names a decision and the branch that it chose: "Plan is pro? Otherwise". */
export const withBranch = (decision: string, branch: string): string =>
  `${decision}${endsSentence(decision) ? '' : ':'} ${branch}`

/** Adds the reason for which an email is not sent to its name. */
export const withoutSending = (name: string, by: string): string =>
  `${name}${endsSentence(name) ? '' : '.'} Not sent: ${notSentText(by)}`

const endsSentence = (text: string): boolean => /[.?!…]$/.test(text)
