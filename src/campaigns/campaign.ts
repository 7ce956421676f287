/**
 * Where a campaign is:
 * - DRAFT: it can be changed, and is sent to nobody
 * - SCHEDULED: it begins at a time, and can't be changed any more
 * - SENDING: its recipients are gone through, and mailed
 * - PAUSED: it goes on with those who were not mailed yet, when somebody says so
 * - SENT: everybody was mailed, or has a reason why not
 * - CANCELLED: whoever was not mailed then is not any more
 */
export const CAMPAIGN_STATUSES = ['DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED', 'SENT', 'CANCELLED'] as const
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]

/** Whom a campaign is for: whoever is in one of the first, and in none of the others. */
export interface Audience {
  listIds: string[]
  segmentIds: string[]
  exclude: { listIds: string[]; segmentIds: string[] }
}
