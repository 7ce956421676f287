import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import { domainOf } from '../platform/email-address.ts'
import { ApiError } from '../platform/api-error.ts'
import type { Secrets } from '../platform/secrets.ts'
import { SenderSettings } from './entities.ts'
import { FROM_ADDRESS_MISSING, SECRETS_KEY_MISSING } from './errors.ts'
import { DKIM_KEY } from './sender.ts'

export interface SenderInput {
  fromName?: string | null | undefined
  fromAddress?: string | null | undefined
  replyTo?: string | null | undefined
  postalAddress?: string | null | undefined
  trackOpens?: boolean | undefined
  trackClicks?: boolean | undefined
}

/** Reads the sender settings of a workspace, or `null` if it has none. */
export const getSender = async (em: EntityManager, workspaceId: string): Promise<SenderSettings | null> =>
  unitOf(em).findOne(SenderSettings, { workspaceId }, FRESH_READ)

/** Replaces the sender settings of a workspace. Missing fields use the instance's values. The DKIM key stays unchanged. */
export async function setSender(em: EntityManager, workspaceId: string, input: SenderInput): Promise<SenderSettings> {
  const { fromName = null, fromAddress = null, replyTo = null, postalAddress = null } = input
  const { trackOpens = false, trackClicks = false } = input
  return write(em, workspaceId, { fromName, fromAddress, replyTo, postalAddress, trackOpens, trackClicks })
}

/** The largest size that all mail servers support (RFC 8301, section 3.2). */
const KEY_BITS = 2_048

/**
 * Creates a DKIM key, which signs the workspace's mail from now on.
 * @throws {ApiError} `secrets_key_missing`; `from_address_missing`
 */
export async function createDkimKey(
  em: EntityManager,
  secrets: Secrets,
  workspaceId: string,
  selector: string,
): Promise<SenderSettings> {
  const { fromAddress } = (await getSender(em, workspaceId)) ?? {}
  const domain = fromAddress == null ? undefined : domainOf(fromAddress)
  if (domain === undefined) throw new ApiError(FROM_ADDRESS_MISSING)
  if (!secrets.isReady) throw new ApiError(SECRETS_KEY_MISSING)
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return write(em, workspaceId, {
    dkimDomain: domain,
    dkimSelector: selector,
    dkimPublic: publicKey.toString('base64'),
    dkimPrivate: secrets.encrypt(privateKey, DKIM_KEY),
  })
}

/** Deletes the DKIM key. Mail is no longer signed. */
export const deleteDkimKey = (em: EntityManager, workspaceId: string): Promise<SenderSettings> =>
  write(em, workspaceId, { dkimDomain: null, dkimSelector: null, dkimPublic: null, dkimPrivate: null })

async function write(
  em: EntityManager,
  workspaceId: string,
  fields: Partial<Omit<SenderSettings, symbol | 'workspaceId' | 'updatedAt'>>,
): Promise<SenderSettings> {
  return unitOf(em).transactional(async (unit) => {
    await unit.upsert(SenderSettings, { workspaceId, ...fields, updatedAt: new Date() })
    return unit.findOneOrFail(SenderSettings, { workspaceId }, FRESH_READ)
  })
}
