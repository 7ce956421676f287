import type { Schemas } from '../../../api/client.ts'
import { useWorkspaceQuery } from '../../../api/workspace.tsx'
import { type Campaign, isInProgress } from '../../campaigns/campaigns.ts'

const REFETCH_MS = 10_000
/** From a hundred thousand recipients on, the requests are further apart, because each takes longer. */
const REFETCH_MS_PER_RECIPIENT = 0.1

/** Returns how often to repeat a request that reads all messages of a campaign, while it is sent. */
export const refetchOf = ({ status, stats }: Campaign): { refetchMs?: number } =>
  isInProgress(status) ? { refetchMs: Math.max(REFETCH_MS, stats.recipients * REFETCH_MS_PER_RECIPIENT) } : {}

/** Loads when the emails of a campaign were sent, opened and clicked. */
export const useTimeline = (campaign: Campaign): Schemas['CampaignTimeline'] | undefined =>
  useWorkspaceQuery(
    ['campaigns', campaign.id, 'timeline', campaign.status],
    async (api, signal) =>
      (await api.GET('/campaigns/{id}/timeline', { params: { path: { id: campaign.id } }, signal })).data.data,
    refetchOf(campaign),
  ).data
