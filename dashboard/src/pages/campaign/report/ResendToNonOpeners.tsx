import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { errorMessage } from '../../../api/client.ts'
import { useWorkspace } from '../../../api/workspace.tsx'
import { Section } from '../../../layout/Page.tsx'
import { plural } from '../../../lib/format.ts'
import { type Campaign, sentOf } from '../../campaigns/campaigns.ts'
import { useCreateSegment } from './use-create-segment.ts'

/** Makes a new campaign for the recipients who did not open this one. */
export function ResendToNonOpeners({ campaign }: { campaign: Campaign }) {
  const { api, workspace } = useWorkspace()
  const navigate = useNavigate()
  const createSegment = useCreateSegment(campaign)
  const { id, name, delivered, opened, stats } = campaign
  const resend = useMutation({
    mutationFn: async () => {
      const segmentId = await createSegment('not-opened')
      const copy = await api.POST('/campaigns/{id}/duplicate', { params: { path: { id } } })
      const audience = { listIds: [], segmentIds: [segmentId], exclude: { listIds: [], segmentIds: [] } }
      const path = { id: copy.data.data.id }
      await api.PATCH('/campaigns/{id}', { params: { path }, body: { name: `${name}, again`.slice(0, 200), audience } })
      return path.id
    },
    onSuccess: (campaignId) =>
      navigate({
        to: '/w/$workspaceId/campaigns/$campaignId',
        params: { workspaceId: workspace.id, campaignId },
      }),
    onError: (error) => void notifications.show({ message: errorMessage(error), color: 'bad' }),
  })
  const rest = delivered - opened
  if (sentOf(stats) === 0 || rest <= 0 || opened === 0) return null
  return (
    <Section title="Resend to non-openers">
      <p className="t2" style={{ marginBottom: 8 }}>
        {plural(rest, 'recipient')} {rest === 1 ? 'has' : 'have'} no open on record. This creates a draft for the
        recipients who are still in its audience. Change the subject before you send it.
      </p>
      <Button variant="filled" fullWidth loading={resend.isPending} onClick={() => resend.mutate()}>
        Create draft for {plural(rest, 'contact')}
      </Button>
    </Section>
  )
}
