import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { errorMessage, type Schemas } from '../../api/client.ts'
import { callOnce } from '../../api/call-once.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'

type Input = Partial<Schemas['CampaignInput']>

/** Creates a draft and opens it. The composer saves it from then on. */
export function useCreateCampaign() {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async (input: Input | void) => {
      const body = { name: 'Untitled campaign', ...input }
      const made = await callOnce([workspace.id, 'campaign', body], (header) =>
        api.POST('/campaigns', { params: { header }, body }),
      )
      return made.data.data.id
    },
    onSuccess: (campaignId) => {
      void invalidate('campaigns', 'page')
      return navigate({
        to: '/w/$workspaceId/campaigns/$campaignId',
        params: { workspaceId: workspace.id, campaignId },
      })
    },
    onError: (error) => notifications.show({ message: errorMessage(error), color: 'bad' }),
  })
}
