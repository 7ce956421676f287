export { advanceCampaign } from './advance-campaign.ts'
export type { AdvanceDependencies } from './transmission.ts'
export { Campaign, CampaignContent } from './entities.ts'
export {
  type UnfinishedCampaign,
  listUnfinishedCampaigns,
  PAUSE_REASONS,
  pauseScheduledCampaigns,
  pauseAutomatically,
} from './queries.ts'
export { campaignSource } from './campaign-source.ts'
export { getCampaign } from './campaigns.ts'
export { scheduleSchema } from './schemas.ts'
export { CAMPAIGN_NOT_FOUND } from './errors.ts'
