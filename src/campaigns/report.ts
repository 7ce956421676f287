import { IsolationLevel } from '@mikro-orm/core'
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { readLinkSecret } from '../instance/index.ts'
import type { Caller } from '../http/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { InferType } from 'yup'
import { getCampaign } from './campaigns.ts'
import { countsByVariant, countsOfCampaigns } from './counts-queries.ts'
import { variantOf } from '../counters/index.ts'
import { clickedLinks, presentDays, presentLinks, presentResults, resultsByDay } from '../messages/index.ts'
import { presentReputation } from '../reputation/index.ts'
import { reasonsOf } from './queries.ts'
import type { reportResponse } from './report-responses.ts'
import { statsOf } from './responses.ts'

export type CampaignReport = InferType<typeof reportResponse>

/** Returns the signed delivery report of a campaign. @throws {ApiError} `campaign_not_found` */
export async function getReport(em: EntityManager, caller: Caller, id: string): Promise<CampaignReport> {
  // In one transaction (one snapshot), so that the numbers add up.
  return em.fork().transactional(async (unit) => readReport(unit, caller, id), {
    isolationLevel: IsolationLevel.REPEATABLE_READ,
    readOnly: true,
  })
}

async function readReport(unit: EntityManager, caller: Caller, id: string): Promise<CampaignReport> {
  const campaign = await getCampaign(unit, caller.workspace.id, id)
  const counts = await countsOfCampaigns(unit, [campaign.id])
  const byVariant = [...(await countsByVariant(unit, campaign.id))]
    .filter(([variant]) => variant >= 0)
    .toSorted(([a], [b]) => a - b)
  const report = {
    campaignId: campaign.id,
    status: campaign.status,
    stats: statsOf(campaign.recipientCount, counts.get(campaign.id)),
    reasons: (await reasonsOf(unit, campaign.id)) as CampaignReport['reasons'],
    results: presentResults(counts.get(campaign.id) ?? {}),
    reputation: presentReputation(counts.get(campaign.id) ?? {}),
    variants: byVariant.map(([variant, of]) => ({ variant, ...presentResults(of) })),
    links: presentLinks(await clickedLinks(unit, campaign.id), caller).map(({ stepId, ...link }) => ({
      variant: variantOf(stepId),
      ...link,
    })),
    days: presentDays(await resultsByDay(unit, campaign.id, MAX_DAYS)),
    createdAt: new Date().toISOString(),
  }
  return { ...report, signature: sign(await readLinkSecret(unit), report) }
}

/** The number of days that are listed. A campaign takes days, or weeks with a throttle. */
const MAX_DAYS = 90

/** Checks that this instance created a report and that nothing in it has changed since. */
export async function verifyReport(em: EntityManager, { signature, ...report }: CampaignReport): Promise<boolean> {
  const expected = Buffer.from(sign(await readLinkSecret(em.fork()), report))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Signs the JSON with sorted keys (as in RFC 8785), so that the signature does not depend on how the report was transmitted. */
const sign = (secret: KeyObject, report: Omit<CampaignReport, 'signature'>): string =>
  createHmac('sha256', secret)
    .update('report:')
    .update(JSON.stringify(sortKeys(report)))
    .digest('base64url')

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, each]) => [key, sortKeys(each)]))
}
