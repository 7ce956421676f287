import { IsolationLevel } from '@mikro-orm/core'
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { readLinkSecret } from '../instance/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { InferType } from 'yup'
import { getCampaign } from './campaigns.ts'
import { countsOfCampaigns } from './counts-queries.ts'
import { reasonsOf } from './queries.ts'
import { type accountResponse, statsOf } from './responses.ts'

export type CampaignAccount = InferType<typeof accountResponse>

/** Returns the signed delivery report of a campaign. @throws {ApiError} `campaign_not_found` */
export async function accountOf(em: EntityManager, workspaceId: string, id: string): Promise<CampaignAccount> {
  // In one transaction (one snapshot), so that the numbers add up.
  return em.fork().transactional(async (unit) => accountIn(unit, workspaceId, id), {
    isolationLevel: IsolationLevel.REPEATABLE_READ,
    readOnly: true,
  })
}

async function accountIn(unit: EntityManager, workspaceId: string, id: string): Promise<CampaignAccount> {
  const campaign = await getCampaign(unit, workspaceId, id)
  const counts = await countsOfCampaigns(unit, [campaign.id])
  const account = {
    campaignId: campaign.id,
    status: campaign.status,
    stats: statsOf(campaign.recipientCount, counts.get(campaign.id)),
    reasons: (await reasonsOf(unit, campaign.id)) as CampaignAccount['reasons'],
    madeAt: new Date().toISOString(),
  }
  return { ...account, signature: sign(await readLinkSecret(unit), account) }
}

/** Checks that this instance created a report and that nothing in it has changed since. */
export async function isGenuine(em: EntityManager, { signature, ...account }: CampaignAccount): Promise<boolean> {
  const expected = Buffer.from(sign(await readLinkSecret(em.fork()), account))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Signs the JSON with sorted keys (as in RFC 8785), so that the signature does not depend on how the report was transmitted. */
const sign = (secret: KeyObject, account: Omit<CampaignAccount, 'signature'>): string =>
  createHmac('sha256', secret)
    .update('account:')
    .update(JSON.stringify(inOrder(account)))
    .digest('base64url')

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, each]) => [key, inOrder(each)]))
}
