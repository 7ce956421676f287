import { emailKey, inAscii } from '../platform/email-address.ts'

/** Whether two addresses are one mailbox: servers write a domain as the DNS does, and name a host of theirs in it. */
export function isSameMailbox(one: string, other: string): boolean {
  const [ours, theirs] = [one, other].map((address) => emailKey(inAscii(address)).split('@') as [string, string])
  if (ours![0] !== theirs![0]) return false
  const [a, b] = [ours![1], theirs![1]]
  return a === b || b.endsWith(`.${a}`) || a.endsWith(`.${b}`)
}
