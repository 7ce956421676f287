import { domainOf } from '../platform/email-address.ts'
import type { SenderSettings, StoredDkimKey } from './entities.ts'

/** A record that a sender's domain should have. */
export interface DnsRecord {
  what: 'SPF' | 'DKIM' | 'DKIM_NEXT' | 'DKIM_PREVIOUS' | 'DMARC' | 'RETURN_PATH'
  name: string
  type: 'TXT' | 'MX'
  value: string
  /** Hint for the operator on how to adapt the value. */
  note: string | null
}

/** The domain of return paths, and the host that receives them. */
export interface ReturnPath {
  domain: string
  host: string
}

/** The keys whose records must be published. */
export type DkimKeys = Readonly<Partial<Record<StoredDkimKey['role'], StoredDkimKey>>>

/** Days that the record of a previous key stays published: signed mail may be in transit or verified late. */
const KEEP_DAYS = 7
const DAY_MS = 86_400_000

/** Checks whether the record of a previous key must still be published. */
export const isKept = ({ since }: StoredDkimKey, now = Date.now()): boolean =>
  now - since.getTime() < KEEP_DAYS * DAY_MS

/** The value of a key's record (RFC 6376, section 3.6.1). */
const dkimValue = ({ publicKey }: StoredDkimKey): string => `v=DKIM1; k=rsa; p=${publicKey}`

const DKIM_NOTES: Record<StoredDkimKey['role'], (key: StoredDkimKey) => string | null> = {
  SIGNING: () => null,
  NEXT: () => 'Publish it, then switch to the new key. The current key signs until then.',
  PREVIOUS: ({ since }) =>
    `Keep it until ${new Date(since.getTime() + KEEP_DAYS * DAY_MS).toISOString().slice(0, 10)}: emails in transit are signed with this key.`,
}
const DKIM_LABELS = { SIGNING: 'DKIM', NEXT: 'DKIM_NEXT', PREVIOUS: 'DKIM_PREVIOUS' } as const

/** The record of a key. */
export const dkimRecord = (key: StoredDkimKey): DnsRecord => ({
  what: DKIM_LABELS[key.role],
  name: `${key.selector}._domainkey.${key.domain}`,
  type: 'TXT',
  value: dkimValue(key),
  note: DKIM_NOTES[key.role](key),
})

/**
 * Lists the DNS records that a workspace's sender requires (RFC 7208, RFC 6376, RFC 9989). A workspace without its own address
 * requires only those of the return path, because it uses the instance's sender.
 *
 * @param returns `null` if bounces go to the sender's address
 */
export function recordsFor(
  { fromAddress }: Partial<Pick<SenderSettings, 'fromAddress'>>,
  keys: DkimKeys,
  returns: ReturnPath | null,
): DnsRecord[] {
  const domain = fromAddress == null ? undefined : domainOf(fromAddress)
  const returning = returns?.domain ?? domain
  if (returning === undefined) return []
  const { SIGNING, NEXT, PREVIOUS } = keys
  const published = [SIGNING, NEXT, PREVIOUS !== undefined && isKept(PREVIOUS) ? PREVIOUS : undefined]
  return [
    // Receivers check the domain of the return path (RFC 7208, section 2.4).
    {
      what: 'SPF',
      name: returning,
      type: 'TXT',
      value: 'v=spf1 include:YOUR-PROVIDER ~all',
      note: 'Replace YOUR-PROVIDER with the value that your mail provider documents.',
    },
    ...(domain === undefined ? [] : published.flatMap((key) => (key ? [dkimRecord(key)] : []))),
    ...(domain === undefined
      ? []
      : [
          {
            what: 'DMARC' as const,
            name: `_dmarc.${domain}`,
            type: 'TXT' as const,
            value: `v=DMARC1; p=none; rua=mailto:postmaster@${domain}`,
            note: 'p=none only reports. Change it to p=quarantine or p=reject once the reports look right.',
          },
        ]),
    ...(returns === null
      ? []
      : [
          {
            what: 'RETURN_PATH' as const,
            name: returns.domain,
            type: 'MX' as const,
            value: `10 ${returns.host}`,
            note: 'Replace the host if port 25 of a different host forwards to BOUNCE_PORT.',
          },
        ]),
  ]
}
