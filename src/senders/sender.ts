import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Secrets } from '../platform/secrets.ts'
import { type DomainProof, PROOF } from './proven-domain-queries.ts'
import { ALLOWED_TODAY } from './warm-up-queries.ts'

/** A workspace's sender as statements read it: see `senderOf`. */
export interface WorkspaceSender {
  name: string | null
  address: string | null
  replyTo: string | null
  postalAddress: string | null
  /** Track opens and clicks of marketing emails. */
  trackOpens: boolean
  trackClicks: boolean
  /** The sender has a daily limit. */
  isWarmingUp: boolean
  /** Whether the workspace or another one has proven the domain of the address. */
  domainProof: DomainProof
  /** `key` is the encrypted private key, in base64. */
  dkim: { domain: string; selector: string; key: string } | null
}

/** Builds an SQL expression for the sender of a workspace, or null. @param workspace SQL expression for its ID */
export const senderOf = (workspace: string): string => `(
  select jsonb_build_object(
    'name', from_name, 'address', from_address, 'replyTo', reply_to, 'postalAddress', postal_address,
    'trackOpens', track_opens, 'trackClicks', track_clicks, 'isWarmingUp', ${ALLOWED_TODAY} is not null,
    'domainProof', ${PROOF},
    'dkim', (
      select jsonb_build_object(
        'domain', domain, 'selector', selector, 'key', translate(encode(private_key, 'base64'), E'\\n', '')
      ) from dkim_keys where dkim_keys.workspace_id = senders.workspace_id and role = 'SIGNING'
    )
  ) from senders where senders.workspace_id = ${workspace}
)`

/** Purpose of the encrypted private key: see `Secrets.encrypt`. */
export const DKIM_KEY = 'dkim'

/** A key that signs emails (RFC 6376). */
export interface DkimKey {
  domain: string
  selector: string
  privateKey: KeyObject
}

const MAX_KNOWN = 1_000
const known = new WeakMap<Secrets, Map<string, KeyObject>>()

/** Decrypts the DKIM key of a workspace. Caches recently used keys in memory. @throws {NoSecretsKey} */
export function dkimOf(secrets: Secrets, { dkim }: Pick<WorkspaceSender, 'dkim'>): DkimKey | undefined {
  if (!dkim) return undefined
  const keys = known.get(secrets) ?? new Map<string, KeyObject>()
  known.set(secrets, keys)
  let privateKey = keys.get(dkim.key)
  if (!privateKey) {
    privateKey = createPrivateKey(secrets.decrypt(Buffer.from(dkim.key, 'base64'), DKIM_KEY))
    if (keys.size >= MAX_KNOWN) keys.clear()
    keys.set(dkim.key, privateKey)
  }
  return { domain: dkim.domain, selector: dkim.selector, privateKey }
}

/** Formats a mailbox for a header (RFC 5322, section 3.4). */
export const mailboxOf = (name: string | null, address: string): string =>
  name === null || name === '' ? address : `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`
