/**
 * Kinds of bounces:
 * - HARD: the address cannot receive mail. It is suppressed.
 * - SOFT: the mailbox or the route to it fails for now
 * - BLOCKED: rejected because of the sender or the message, so it does not concern the address
 * - COMPLAINT: the recipient marked it as spam
 * - UNSUBSCRIBE: the recipient unsubscribed at a mail provider
 */
export const BOUNCE_KINDS = ['HARD', 'SOFT', 'BLOCKED', 'COMPLAINT', 'UNSUBSCRIBE'] as const
export type BounceKind = (typeof BOUNCE_KINDS)[number]

/** Subject of a bounce. Only the mailbox and its domain count against an address. */
type Subject = 'mailbox' | 'domain' | 'us' | 'connection' | 'unknown'

/** Causes of bounces. `docs/deliverability.md` has the same table. */
const SUBJECTS = {
  MAILBOX_NOT_FOUND: 'mailbox',
  MAILBOX_DISABLED: 'mailbox',
  MAILBOX_FULL: 'mailbox',
  DOMAIN_NOT_FOUND: 'domain',
  REPUTATION: 'us',
  AUTHENTICATION: 'us',
  CONTENT: 'us',
  RATE_LIMIT: 'us',
  POLICY: 'us',
  CONNECTION: 'connection',
  UNKNOWN: 'unknown',
} as const satisfies Record<string, Subject>
export type BounceCategory = keyof typeof SUBJECTS
export const BOUNCE_CATEGORIES = Object.keys(SUBJECTS) as BounceCategory[]

export const isAboutUs = (category: BounceCategory): boolean => SUBJECTS[category] === 'us'

/** Categories whose soft bounces count: a mailbox that stays full or inactive is abandoned. */
export const COUNTED_CATEGORIES: readonly BounceCategory[] = ['MAILBOX_FULL', 'MAILBOX_DISABLED']

/** Derives the kind of a bounce. Only a permanent failure is HARD, and a full mailbox may be emptied. */
export function kindOf(category: BounceCategory, isPermanent: boolean): 'HARD' | 'SOFT' | 'BLOCKED' {
  if (isAboutUs(category)) return 'BLOCKED'
  const canBeHard = SUBJECTS[category] === 'domain' || SUBJECTS[category] === 'mailbox'
  return canBeHard && category !== 'MAILBOX_FULL' && isPermanent ? 'HARD' : 'SOFT'
}
