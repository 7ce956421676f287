import { LockMode } from '@mikro-orm/core'
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { ApiError } from '../platform/api-error.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Dns } from '../platform/dns.ts'
import { domainOf } from '../platform/email-address.ts'
import { SECRETS_KEY_MISSING } from '../platform/secrets-key.ts'
import type { Secrets } from '../platform/secrets.ts'
import { checkDkim } from './check-dkim.ts'
import { dkimRecord, type DkimKeys, isKept } from './dns-records.ts'
import { SenderSettings, StoredDkimKey } from './entities.ts'
import { DKIM_KEY_MISSING, DKIM_RECORD_MISSING, DKIM_SELECTOR_IN_USE, FROM_ADDRESS_MISSING } from './errors.ts'
import { recordProof } from './proven-domain-queries.ts'
import { DKIM_KEY } from './sender.ts'

/** The largest size that all mail servers support (RFC 8301, section 3.2). */
const KEY_BITS = 2_048
const DEFAULT_SELECTOR = 'dripline'
const generateKeys = promisify(generateKeyPair)

/** Reads the DKIM keys of a workspace. */
export async function readDkimKeys(em: EntityManager, workspaceId: string): Promise<DkimKeys> {
  const keys = await unitOf(em).find(StoredDkimKey, { workspaceId }, FRESH_READ)
  return Object.fromEntries(keys.map((key) => [key.role, key]))
}

/**
 * Creates a DKIM key. The first key signs the workspace's mail from now on. A further key becomes the next one, which signs after
 * `switchDkimKey`, and replaces an earlier next key.
 *
 * @param wanted the selector; by default the first of `dripline`, `dripline2` and so on that is free
 * @throws {ApiError} `secrets_key_missing`; `from_address_missing`; `dkim_selector_in_use`
 */
export async function createDkimKey(
  em: EntityManager,
  secrets: Secrets,
  workspaceId: string,
  wanted: string | undefined,
): Promise<void> {
  await unitOf(em).transactional(async (unit) => {
    const domain = await lockDomain(unit, workspaceId)
    const keys = await readDkimKeys(unit, workspaceId)
    const used = namesInUse(keys, domain)
    const selector = wanted ?? freeSelector(used)
    if (used.has(selector.toLowerCase())) throw new ApiError(DKIM_SELECTOR_IN_USE, { param: '/selector' })
    if (!secrets.isReady) throw new ApiError(SECRETS_KEY_MISSING)
    const { publicKey, privateKey } = await generateKeys('rsa', {
      modulusLength: KEY_BITS,
      publicKeyEncoding: { type: 'spki', format: 'der' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    const role = keys.SIGNING ? 'NEXT' : 'SIGNING'
    await unit.nativeDelete(StoredDkimKey, { workspaceId, role })
    await unit.insert(StoredDkimKey, {
      workspaceId,
      role,
      domain,
      selector,
      publicKey: publicKey.toString('base64'),
      privateKey: secrets.encrypt(privateKey, DKIM_KEY),
      since: new Date(),
    })
  })
}

/** Locks the sender, so that its keys change one request at a time. @returns the domain to sign for */
async function lockDomain(unit: EntityManager, workspaceId: string): Promise<string> {
  const sender = await unit.findOne(SenderSettings, { workspaceId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const domain = sender?.fromAddress == null ? undefined : domainOf(sender.fromAddress)
  if (domain === undefined) throw new ApiError(FROM_ADDRESS_MISSING)
  return domain
}

/** Selectors whose records must not change: receivers still verify mail with them. */
const namesInUse = ({ SIGNING, PREVIOUS }: DkimKeys, domain: string): ReadonlySet<string> =>
  new Set(
    [SIGNING, PREVIOUS && isKept(PREVIOUS) ? PREVIOUS : undefined]
      .filter((key) => key?.domain === domain)
      .map((key) => key!.selector.toLowerCase()),
  )

function freeSelector(used: ReadonlySet<string>): string {
  if (!used.has(DEFAULT_SELECTOR)) return DEFAULT_SELECTOR
  let number = 2
  while (used.has(`${DEFAULT_SELECTOR}${number}`)) number += 1
  return `${DEFAULT_SELECTOR}${number}`
}

/**
 * Signs with the next key from now on, if its record is published. The private key of the previous one is deleted.
 *
 * Race: two requests, or one that replaces the next key after its record was checked. Guard: the sender's lock, and the checked
 * public key is compared under it. Test: test/senders/senders.instance.test.ts.
 *
 * @throws {ApiError} `dkim_key_missing`; `dkim_record_missing`
 */
export async function switchDkimKey(em: EntityManager, dns: Dns, workspaceId: string): Promise<void> {
  const { NEXT: checked } = await readDkimKeys(em, workspaceId)
  if (!checked) throw new ApiError(DKIM_KEY_MISSING)
  const record = dkimRecord(checked)
  const { status, problem } = await checkDkim(dns, record)
  if (status !== 'OK') {
    const detail = problem ?? 'There is no such record.'
    throw new ApiError(DKIM_RECORD_MISSING, { message: `The record ${record.name} is not published yet. ${detail}` })
  }
  await unitOf(em).transactional(async (unit) => {
    await unit.findOne(SenderSettings, { workspaceId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    const { NEXT: next } = await readDkimKeys(unit, workspaceId)
    if (next?.publicKey !== checked.publicKey) throw new ApiError(DKIM_KEY_MISSING)
    const since = new Date()
    await unit.nativeDelete(StoredDkimKey, { workspaceId, role: 'PREVIOUS' })
    await unit.nativeUpdate(
      StoredDkimKey,
      { workspaceId, role: 'SIGNING' },
      { role: 'PREVIOUS', privateKey: null, since },
    )
    await unit.nativeUpdate(StoredDkimKey, { workspaceId, role: 'NEXT' }, { role: 'SIGNING', since })
    await recordProof(unit, workspaceId, next.domain)
  })
}

/** Deletes all DKIM keys. Mail is no longer signed. */
export async function deleteDkimKeys(em: EntityManager, workspaceId: string): Promise<void> {
  await em.fork().nativeDelete(StoredDkimKey, { workspaceId })
}
