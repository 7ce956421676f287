import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { errorMessage } from '../../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../../api/workspace.tsx'
import { Section } from '../../../layout/Page.tsx'
import { plural } from '../../../lib/format.ts'
import { type Campaign, sentOf } from '../../campaigns/campaigns.ts'

type Group = 'opened' | 'clicked' | 'not opened'

/** The contacts of a report, as a condition. It stays current: a later open counts. */
const conditionOf = (group: Group, message: string) =>
  group === 'not opened'
    ? {
        all: [
          { message, is: 'sent' as const },
          { not: { message, is: 'opened' as const } },
          { not: { message, is: 'bounced' as const } },
        ],
      }
    : { message, is: group }

/** Makes a segment of those who opened or clicked, or a new campaign for those who did not open. */
export function ReportActions({ campaign }: { campaign: Campaign }) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const navigate = useNavigate()
  const { id, name, delivered, opened, clicked, stats } = campaign
  const params = { workspaceId: workspace.id }
  const onError = (error: unknown) => void notifications.show({ message: errorMessage(error), color: 'bad' })
  const createSegment = async (group: Group) => {
    const body = { name: `${name}: ${group}`.slice(0, 200), condition: conditionOf(group, id) }
    const made = await api.POST('/segments', { body })
    void invalidate('segments')
    return made.data.data.id
  }
  const segment = useMutation({
    mutationFn: createSegment,
    onSuccess: (segmentId) => navigate({ to: '/w/$workspaceId/contacts', params, search: { segmentId } }),
    onError,
  })
  const resend = useMutation({
    mutationFn: async () => {
      const segmentId = await createSegment('not opened')
      const copy = await api.POST('/campaigns/{id}/duplicate', { params: { path: { id } } })
      const audience = { listIds: [], segmentIds: [segmentId], exclude: { listIds: [], segmentIds: [] } }
      const path = { id: copy.data.data.id }
      await api.PATCH('/campaigns/{id}', { params: { path }, body: { name: `${name}, again`.slice(0, 200), audience } })
      return path.id
    },
    onSuccess: (campaignId) =>
      navigate({ to: '/w/$workspaceId/campaigns/$campaignId', params: { ...params, campaignId } }),
    onError,
  })
  const rest = delivered - opened
  if (sentOf(stats) === 0) return null
  return (
    <>
      {rest > 0 && opened > 0 && (
        <Section title="Resend to non-openers">
          <p className="t2" style={{ marginBottom: 8 }}>
            {plural(rest, 'recipient')} {rest === 1 ? 'has' : 'have'} no open on record. This makes a draft for them.
            Change the subject before you send it.
          </p>
          <Button variant="filled" fullWidth loading={resend.isPending} onClick={() => resend.mutate()}>
            Draft for {plural(rest, 'contact')}
          </Button>
        </Section>
      )}
      {opened + clicked > 0 && (
        <Section title="Create segment">
          <div className="row" style={{ flexWrap: 'wrap' }}>
            {opened > 0 && (
              <Button loading={segment.isPending} onClick={() => segment.mutate('opened')}>
                {plural(opened, 'contact')} opened
              </Button>
            )}
            {clicked > 0 && (
              <Button loading={segment.isPending} onClick={() => segment.mutate('clicked')}>
                {plural(clicked, 'contact')} clicked
              </Button>
            )}
          </div>
        </Section>
      )}
    </>
  )
}
