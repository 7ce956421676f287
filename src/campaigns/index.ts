export { advanceCampaign } from './advance-campaign.ts'
export type { AdvanceDependencies } from './campaign-sending.ts'
export { Campaign, CampaignContent } from './entities.ts'
export {
  type UnfinishedCampaign,
  listUnfinishedCampaigns,
  pauseScheduledCampaigns,
  pauseAutomatically,
} from './queries.ts'
export { campaignSource } from './campaign-source.ts'
