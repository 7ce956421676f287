export { advanceCampaign, type AdvanceDependencies } from './advance-campaign.ts'
export { Campaign } from './entities.ts'
export { campaignsUnderWay, enqueueCampaign } from './queries.ts'
