import { Button } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { readPages } from '../../api/queries.ts'
import { useHasRole, useWorkspaceQuery, useWorkspace } from '../../api/workspace.tsx'
import { count, localTimeLabel } from '../../lib/format.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import { Page } from '../../layout/Page.tsx'
import { CampaignForm } from './CampaignForm.tsx'
import { CAMPAIGN_STATUS, finishedCountOf } from './campaigns.ts'

export function CampaignsPage() {
  const { workspace } = useWorkspace()
  const navigate = useNavigate()
  const canEdit = useHasRole('editor')
  const [isCreating, setIsCreating] = useState(false)
  useHotkeys([['n', () => canEdit && setIsCreating(true)]])
  const { data, error, refetch } = useWorkspaceQuery(
    ['campaigns', 'page'],
    (api, signal) => readPages((query) => api.GET('/campaigns', { params: { query }, signal })),
    { refetchMs: 5_000 },
  )
  const show = (campaignId: string) =>
    void navigate({
      to: '/w/$workspaceId/campaigns/$campaignId',
      params: { workspaceId: workspace.id, campaignId },
      ignoreBlocker: true,
    })
  return (
    <Page
      title="Campaigns"
      narrow
      actions={
        canEdit && (
          <Button
            variant="filled"
            leftSection={<IconPlus aria-hidden />}
            disabled={isCreating}
            onClick={() => setIsCreating(true)}
          >
            New campaign
          </Button>
        )
      }
    >
      {isCreating && <CampaignForm onSaved={show} onCancel={() => setIsCreating(false)} />}
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows rows={6} />}
      {data?.length === 0 && (
        <p className="t2">Campaigns send one email to lists or segments. Create your first one.</p>
      )}
      {data && data.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>Name</th>
              <th>Status</th>
              <th className="num">Processed</th>
              <th className="num wide">Recipients</th>
              <th className="num wide">Send time</th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ id, name, status, stats, scheduledAt, startedAt, localTime }) => (
              <tr key={id}>
                <td className="strong">
                  <Link
                    to="/w/$workspaceId/campaigns/$campaignId"
                    params={{ workspaceId: workspace.id, campaignId: id }}
                  >
                    {name}
                  </Link>
                </td>
                <td>
                  <StatusBadge status={CAMPAIGN_STATUS[status]} plain />
                </td>
                <td className={`num ${finishedCountOf(stats) === 0 ? 't3' : 'strong'}`}>
                  {count(finishedCountOf(stats))}
                </td>
                <td className={`num wide ${stats.recipients === 0 ? 't3' : ''}`}>{count(stats.recipients)}</td>
                <td className="num wide t2">
                  {localTime !== null && startedAt === null ? (
                    `${localTimeLabel(localTime)}, recipient’s time`
                  ) : (startedAt ?? scheduledAt) === null ? (
                    <span className="t3">Not scheduled</span>
                  ) : (
                    <Time at={startedAt ?? scheduledAt} as="date" />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Page>
  )
}
