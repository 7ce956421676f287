import { emailKey, toAsciiAddress } from '../platform/email-address.ts'

/** Maximum length of an address (RFC 5321, section 4.5.3.1). */
const MAX_ADDRESS = 320

/**
 * Checks whether two addresses are the same mailbox. Servers may write the domain in ASCII, add a host name, and omit the tag
 * after a plus.
 */
export function isSameMailbox(one: string, other: string): boolean {
  if (one.length > MAX_ADDRESS || other.length > MAX_ADDRESS) return false
  const [ours, theirs] = [one, other].map(
    (address) => emailKey(toAsciiAddress(address.replace(/\.$/, ''))).split('@') as [string, string],
  )
  if (withoutTag(ours![0]) !== withoutTag(theirs![0])) return false
  const [a, b] = [ours![1], theirs![1]]
  return a === b || b.endsWith(`.${a}`) || a.endsWith(`.${b}`)
}

const withoutTag = (local: string): string => (local.startsWith('+') ? local : local.split('+', 1)[0]!)
