import type { WrittenContent, WrittenFormat } from '../templates/index.ts'

/**
 * Statuses of a campaign:
 * - DRAFT: can be edited; nothing is sent
 * - SCHEDULED: starts at a set time; can no longer be edited
 * - SENDING: recipients are being queued and mailed
 * - PAUSED: stopped by a member or by Dripline; continues with the remaining recipients when resumed
 * - SENT: every recipient was mailed or has a reason why not
 * - CANCELLED: recipients who had not been mailed get nothing
 */
export const CAMPAIGN_STATUSES = ['DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED', 'SENT', 'CANCELLED'] as const
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]

/** A campaign's own content, as it was written. */
export type CampaignSource = WrittenContent & { format: WrittenFormat }

/** The recipients of a campaign: the contacts in at least one of its lists or segments, except those in an excluded one. */
export interface Audience {
  listIds: string[]
  segmentIds: string[]
  exclude: { listIds: string[]; segmentIds: string[] }
}
