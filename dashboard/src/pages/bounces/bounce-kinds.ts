import type { Schemas } from '../../api/client.ts'

type Bounce = Schemas['Bounce']
export type BounceKind = Bounce['kind']

/** Labels of the bounce types. */
export const BOUNCE_KINDS: Record<BounceKind, string> = {
  HARD: 'Hard bounce',
  SOFT: 'Soft bounce',
  BLOCKED: 'Blocked',
  COMPLAINT: 'Spam complaint',
  UNSUBSCRIBE: 'Unsubscribed at the provider',
}

export const KINDS = Object.keys(BOUNCE_KINDS) as BounceKind[]

/** The cause of a bounce, in words. */
const CAUSES: Record<NonNullable<Bounce['category']>, string> = {
  MAILBOX_NOT_FOUND: 'The mailbox does not exist.',
  MAILBOX_DISABLED: 'The mailbox is disabled or inactive.',
  MAILBOX_FULL: 'The mailbox is full.',
  DOMAIN_NOT_FOUND: 'The domain does not exist or accepts no mail.',
  REPUTATION: 'The mail server of the recipient blocks your IP address or domain.',
  AUTHENTICATION: 'The sender could not be authenticated. Check your DNS records.',
  CONTENT: 'The content or the size of the email was rejected.',
  RATE_LIMIT: 'The mail server of the recipient limits how fast you send.',
  POLICY: 'The mail server of the recipient rejected the email by policy.',
  CONNECTION: 'The mail server of the recipient could not be reached, or failed.',
  UNKNOWN: 'The mail server of the recipient gave no clear cause.',
}

/** Describes a bounce and what Dripline does about it, in a sentence each. */
export function describeBounce({ kind, category }: Pick<Bounce, 'kind' | 'category'>): string {
  switch (kind) {
    case 'COMPLAINT':
      return 'The recipient marked the email as spam. The address is suppressed.'
    case 'UNSUBSCRIBE':
      return 'The contact is unsubscribed from marketing.'
    case 'HARD':
      return `${CAUSES[category ?? 'UNKNOWN']} The address is suppressed.`
    case 'BLOCKED':
      return `${CAUSES[category ?? 'UNKNOWN']} This does not count against the address.`
    case 'SOFT':
      return category === 'MAILBOX_FULL' || category === 'MAILBOX_DISABLED'
        ? `${CAUSES[category]} The address is suppressed after 5 in a row over at least 3 days.`
        : `${CAUSES[category ?? 'UNKNOWN']} This does not count against the address.`
  }
}

/** Describes how Dripline learned of a bounce. */
export function describeSource(source: string): string {
  if (source === 'rejection') return 'rejected while sending'
  return `via ${source === 'smtp' ? 'bounce email' : source}`
}
