import type { Schemas } from '../../../api/client.ts'
import { useWorkspaceQuery } from '../../../api/workspace.tsx'
import { type Campaign, refetchOf } from '../../campaigns/campaigns.ts'

/** Loads when the emails of a campaign were sent, opened and clicked. */
export const useTimeline = (campaign: Campaign): Schemas['CampaignTimeline'] | undefined =>
  useWorkspaceQuery(
    ['campaigns', campaign.id, 'timeline', campaign.status],
    async (api, signal) =>
      (await api.GET('/campaigns/{id}/timeline', { params: { path: { id: campaign.id } }, signal })).data.data,
    refetchOf(campaign),
  ).data
