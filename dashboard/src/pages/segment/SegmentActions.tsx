import { ActionIcon, Button, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDots, IconSpeakerphone } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { callOnce } from '../../api/call-once.ts'
import { errorMessage, type Schemas } from '../../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlMenuItem } from '../../components/CurlButton.tsx'
import { useCreateCampaign } from '../campaigns/use-create-campaign.ts'
import { ExportContacts } from '../contacts/ExportContacts.tsx'

const onError = (error: unknown) => void notifications.show({ message: errorMessage(error), color: 'bad' })

/** Exports a segment, creates a campaign for it or a copy of it, and asks to delete it. */
export function SegmentActions({
  segment: { id, name, condition },
  onDelete,
}: {
  segment: Schemas['Segment']
  onDelete: () => void
}) {
  const { api, workspace } = useWorkspace()
  const canEdit = useHasRole('editor')
  const invalidate = useInvalidate()
  const navigate = useNavigate()
  const campaign = useCreateCampaign()
  const duplicate = useMutation({
    mutationFn: async () => {
      const body = { name: `Copy of ${name}`.slice(0, 200), condition }
      const { data } = await callOnce([workspace.id, 'segment', body], (header) =>
        api.POST('/segments', { params: { header }, body }),
      )
      void invalidate('segments')
      return data.data.id
    },
    onSuccess: (segmentId) =>
      navigate({ to: '/w/$workspaceId/segments/$segmentId', params: { workspaceId: workspace.id, segmentId } }),
    onError,
  })
  const audience = { listIds: [], segmentIds: [id], exclude: { listIds: [], segmentIds: [] } }
  return (
    <>
      <ExportContacts filters={{ segmentId: id }} fileName={`${name}.csv`} />
      {canEdit && (
        <Button
          leftSection={<IconSpeakerphone aria-hidden />}
          loading={campaign.isPending}
          onClick={() => campaign.mutate({ audience })}
        >
          Create campaign
        </Button>
      )}
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label="More actions">
            <IconDots aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {canEdit && <Menu.Item onClick={() => duplicate.mutate()}>Duplicate</Menu.Item>}
          <CurlMenuItem call={{ method: 'GET', path: `/segments/${id}/contacts` }} />
          {canEdit && (
            <Menu.Item color="bad" onClick={onDelete}>
              Delete…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
