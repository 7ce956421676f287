export { advanceCampaign } from './advance-campaign.ts'
export type { AdvanceDependencies } from './campaign-sending.ts'
export { Campaign, CampaignContent } from './entities.ts'
export { campaignsUnderWay, enqueueCampaign, holdWaitingCampaigns } from './queries.ts'
