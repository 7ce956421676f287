import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { errorMessage } from '../../api/client.ts'
import { callOnce } from '../../api/call-once.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'

/** Creates a draft with the content and the audience of a campaign, and opens it. */
export function DuplicateCampaignButton({ id }: { id: string }) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const navigate = useNavigate()
  const duplicate = useMutation({
    mutationFn: async () => {
      const made = await callOnce([workspace.id, 'campaign', id, 'duplicate'], (header) =>
        api.POST('/campaigns/{id}/duplicate', { params: { path: { id }, header } }),
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
  return (
    <Button variant="subtle" color="gray" loading={duplicate.isPending} onClick={() => duplicate.mutate()}>
      Duplicate
    </Button>
  )
}
