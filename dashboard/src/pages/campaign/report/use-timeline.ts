import type { Schemas } from '../../../api/client.ts'
import { useWorkspaceQuery } from '../../../api/workspace.tsx'
import { type Campaign, isInProgress } from '../../campaigns/campaigns.ts'

/** Milliseconds between two requests for what the API counts from all messages of the campaign, while it is sent. */
export const REFETCH_MS = 10_000

/** Loads when the emails of a campaign were sent, opened and clicked. */
export const useTimeline = ({ id, status }: Campaign): Schemas['CampaignTimeline'] | undefined =>
  useWorkspaceQuery(
    ['campaigns', id, 'timeline', status],
    async (api, signal) => (await api.GET('/campaigns/{id}/timeline', { params: { path: { id } }, signal })).data.data,
    isInProgress(status) ? { refetchMs: REFETCH_MS } : {},
  ).data
