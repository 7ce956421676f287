import type { Dns } from '../platform/dns.ts'
import type { DnsRecord } from './dns-records.ts'
import { type Finding, judged, orUnknown, tagOf } from './finding.ts'

/** Checks the record of a DKIM key. */
export const checkDkim = (dns: Dns, record: DnsRecord): Promise<Finding> =>
  orUnknown(async () => {
    const found = (await dns.texts(record.name)).filter((text) => tagOf(text, 'p') !== undefined)
    return judged(found, (text) => dkimProblem(text, record.value))
  })

function dkimProblem(text: string, expected: string): string | null {
  const version = tagOf(text, 'v')
  if (version !== undefined && version !== 'DKIM1') return 'The record must begin with v=DKIM1'
  const key = tagOf(text, 'p')
  if (key === '') return 'The record revokes the key: p is empty (RFC 6376, section 3.6.1)'
  if (key !== tagOf(expected, 'p')) return 'The record has a different key from the one that signs the mail'
  if ((tagOf(text, 'k') ?? 'rsa') !== 'rsa') return 'The record must have k=rsa, or no k'
  if (tagOf(text, 't')?.split(':').includes('y') === true)
    return 'The record marks the key as a test, so receivers treat the mail as unsigned. Remove t=y.'
  return null
}
