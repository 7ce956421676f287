import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { errorMessage } from '../../../api/client.ts'
import { useWorkspace } from '../../../api/workspace.tsx'
import { plural } from '../../../lib/format.ts'
import type { Campaign } from '../../campaigns/campaigns.ts'
import { type SegmentGroup, useCreateSegment } from './use-create-segment.ts'

/** Creates a segment of the listed recipients, and opens its contacts. */
export function CreateSegmentButton({
  campaign,
  group,
  many,
}: {
  campaign: Campaign
  group: SegmentGroup
  many: number
}) {
  const { workspace } = useWorkspace()
  const navigate = useNavigate()
  const createSegment = useCreateSegment(campaign)
  const create = useMutation({
    mutationFn: () => createSegment(group),
    onSuccess: (segmentId) =>
      navigate({ to: '/w/$workspaceId/contacts', params: { workspaceId: workspace.id }, search: { segmentId } }),
    onError: (error) => void notifications.show({ message: errorMessage(error), color: 'bad' }),
  })
  return (
    <Button loading={create.isPending} onClick={() => create.mutate()}>
      Create segment from {plural(many, 'contact')}
    </Button>
  )
}
