import {
  countsByDomain,
  type HourOfOpens,
  opensByHour,
  type ResultCounts,
  sentByMinute,
  type SentMinute,
} from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { domainKey } from '../platform/email-address.ts'
import type { Campaign } from './entities.ts'

/** The recipients of a campaign by receiving domain. */
export interface CampaignDomains {
  total: ResultCounts
  domains: { domain: string; counts: ResultCounts }[]
  otherDomains: number
  /** All domains that are not listed. */
  others: ResultCounts
}

/** Counts the recipients of the largest domains, and those of all others together. @param limit the number of domains to list */
export async function getCampaignDomains(
  em: EntityManager,
  campaignId: string,
  limit: number,
): Promise<CampaignDomains> {
  const found: CampaignDomains = { total: {}, domains: [], otherDomains: 0, others: {} }
  for (const { domain, domains, counts } of await countsByDomain(em, campaignId, limit)) {
    add(found.total, counts)
    if (domain === null) {
      found.otherDomains = domains
      found.others = counts
    } else add(countsOfDomain(found, domainKey(domain)), counts)
  }
  return found
}

/** The counts of a listed domain, which recipients may spell in two ways. */
function countsOfDomain({ domains }: CampaignDomains, domain: string): ResultCounts {
  const listed = domains.find((each) => each.domain === domain)
  if (listed) return listed.counts
  const counts: ResultCounts = {}
  domains.push({ domain, counts })
  return counts
}

function add(sum: ResultCounts, counts: ResultCounts): void {
  for (const [counter, count = 0] of Object.entries(counts)) sum[counter] = (sum[counter] ?? 0) + count
}

/** The hours after the start in which opens and clicks are counted. */
export const TIMELINE_HOURS = 48
/** The minutes up to now in which sent emails are counted. */
export const TIMELINE_MINUTES = 60

/** When the emails of a campaign were sent, opened and clicked. */
export interface CampaignTimeline {
  hours: HourOfOpens[]
  minutes: SentMinute[]
}

export async function getTimeline(em: EntityManager, { id, startedAt }: Campaign): Promise<CampaignTimeline> {
  if (!startedAt) return { hours: [], minutes: [] }
  return {
    hours: await opensByHour(em, { id, startedAt }, TIMELINE_HOURS),
    minutes: await sentByMinute(em, id, TIMELINE_MINUTES),
  }
}
