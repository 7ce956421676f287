import { useCallback } from 'react'
import { useInvalidate, useWorkspace } from '../../../api/workspace.tsx'
import type { Campaign } from '../../campaigns/campaigns.ts'
import type { RecipientGroup } from './recipient-groups.ts'

/** The groups that a condition can name. */
const CONDITIONS = {
  opened: (message: string) => ({ message, is: 'opened' as const }),
  clicked: (message: string) => ({ message, is: 'clicked' as const }),
  'not-opened': (message: string) => ({
    all: [
      { message, is: 'sent' as const },
      { not: { message, is: 'opened' as const } },
      { not: { message, is: 'bounced' as const } },
    ],
  }),
}
export type SegmentGroup = keyof typeof CONDITIONS

export const isSegmentGroup = (group: RecipientGroup | undefined): group is SegmentGroup =>
  group !== undefined && group in CONDITIONS

/** The contacts who are still in one of the lists and segments of the audience: a resend must not reach those who left the list. */
const stillIn = ({ listIds, segmentIds }: Campaign['audience']) => ({
  any: [...listIds.map((list) => ({ list })), ...segmentIds.map((segment) => ({ segment }))],
})

/** Returns a function that creates a segment of a group of recipients. It stays current: a later open counts. */
export function useCreateSegment({ id, name, audience }: Campaign): (group: SegmentGroup) => Promise<string> {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  return useCallback(
    async (group) => {
      const condition = { all: [CONDITIONS[group](id), stillIn(audience)] }
      const body = { name: `${name}: ${group.replace('-', ' ')}`.slice(0, 200), condition }
      const { data } = await api.POST('/segments', { body })
      void invalidate('segments')
      return data.data.id
    },
    [api, invalidate, id, name, audience],
  )
}
