import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import { domainOf } from '../platform/email-address.ts'
import { SenderSettings } from './entities.ts'
import { assertNotOfAnother } from './proven-domains.ts'

export interface SenderInput {
  fromName?: string | null | undefined
  fromAddress?: string | null | undefined
  replyTo?: string | null | undefined
  postalAddress?: string | null | undefined
  brandColor?: string | null | undefined
  /** The path of an image of this instance. */
  logoPath?: string | null | undefined
  trackOpens?: boolean | undefined
  trackClicks?: boolean | undefined
}

/** Reads the sender settings of a workspace, or `null` if it has none. */
export const getSender = async (em: EntityManager, workspaceId: string): Promise<SenderSettings | null> =>
  unitOf(em).findOne(SenderSettings, { workspaceId }, FRESH_READ)

/**
 * Replaces the sender settings of a workspace. Missing fields use the instance's values. The DKIM keys stay unchanged.
 *
 * @throws {ApiError} `domain_of_another`
 */
export async function setSender(em: EntityManager, workspaceId: string, input: SenderInput): Promise<SenderSettings> {
  const { fromName = null, fromAddress = null, replyTo = null, postalAddress = null } = input
  const { trackOpens = false, trackClicks = false, brandColor = null, logoPath = null } = input
  if (fromAddress !== null) await assertNotOfAnother(em, workspaceId, fromAddress)
  const fromDomain = fromAddress === null ? null : (domainOf(fromAddress)?.toLowerCase() ?? null)
  return write(em, workspaceId, {
    ...{ fromName, fromAddress, fromDomain, replyTo, postalAddress, trackOpens, trackClicks },
    ...{ brandColor, logoPath },
  })
}

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
