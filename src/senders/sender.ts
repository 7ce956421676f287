import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Secrets } from '../platform/secrets.ts'
import { ALLOWED_TODAY } from './warm-up-queries.ts'

/** What a statement reads of a workspace's sender: see `SENDER`. */
export interface WorkspaceSender {
  name: string | null
  address: string | null
  replyTo: string | null
  postalAddress: string | null
  /** Whether it is told who has opened a marketing email, and followed which links of it. */
  trackOpens: boolean
  trackClicks: boolean
  /** Whether it mails so many a day and no more. */
  isWarmingUp: boolean
  /** `key` is encrypted, in base64. */
  dkim: { domain: string; selector: string; key: string } | null
}

/** An expression of SQL: the sender of a workspace, or null. @param workspace an expression for its id */
export const senderOf = (workspace: string): string => `(
  select jsonb_build_object(
    'name', from_name, 'address', from_address, 'replyTo', reply_to, 'postalAddress', postal_address,
    'trackOpens', track_opens, 'trackClicks', track_clicks, 'isWarmingUp', ${ALLOWED_TODAY} is not null,
    'dkim', case when dkim_private is not null then jsonb_build_object(
      'domain', dkim_domain, 'selector', dkim_selector, 'key', translate(encode(dkim_private, 'base64'), E'\\n', '')
    ) end
  ) from senders where senders.workspace_id = ${workspace}
)`

/** What a private key is kept as: see `Secrets.encrypt`. */
export const DKIM_KEY = 'dkim'

/** With what an email is signed (RFC 6376). */
export interface DkimKey {
  domain: string
  selector: string
  privateKey: KeyObject
}

const MAX_KNOWN = 1_000
const known = new WeakMap<Secrets, Map<string, KeyObject>>()

/** Reads the key that a workspace signs with; those used lately are kept in memory. @throws {NoSecretsKey} */
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

/** A mailbox as it stands in a header (RFC 5322, section 3.4). */
export const mailboxOf = (name: string | null, address: string): string =>
  name === null || name === '' ? address : `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`
