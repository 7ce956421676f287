import { useDebouncedValue } from '@mantine/hooks'
import { useWorkspaceQuery } from '../../../api/workspace.tsx'
import type { Campaign } from '../../campaigns/campaigns.ts'

/** Milliseconds after the last change before contacts are counted. */
const PAUSE_MS = 300

/** Counts who would get the campaign now, and who of its audience would not. Old figures stay while new ones are counted. */
export function useAudienceCount({ audience, category }: Pick<Campaign, 'audience' | 'category'>) {
  const [asked] = useDebouncedValue(audience, PAUSE_MS)
  const isChosen = audience.listIds.length + audience.segmentIds.length > 0
  const { data, isPlaceholderData, dataUpdatedAt, refetch } = useWorkspaceQuery(
    ['campaigns', 'count', asked, category],
    async (api, signal) =>
      (await api.POST('/campaigns/count', { body: { audience: asked, category }, signal })).data.data,
    { enabled: isChosen, keepPrevious: true },
  )
  const counted = isChosen ? data : undefined
  return {
    isChosen,
    recipients: counted?.contactCount,
    suppressed: counted?.suppressed ?? [],
    isBehind: isPlaceholderData || asked !== audience,
    at: counted && new Date(dataUpdatedAt),
    /** Counts again. @returns the number of recipients */
    async recount(): Promise<number | undefined> {
      return (await refetch()).data?.contactCount
    },
  }
}

export type AudienceCount = ReturnType<typeof useAudienceCount>
