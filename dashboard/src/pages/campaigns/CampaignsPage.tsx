import { Button } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { readPages } from '../../api/reads.ts'
import { useMay, useRead, useWorkspace } from '../../api/workspace.tsx'
import { count } from '../../parts/numbers.ts'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { State } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { Page } from '../../shell/Page.tsx'
import { CampaignForm } from './CampaignForm.tsx'
import { CAMPAIGN_LOOKS, settledOf } from './campaigns.ts'

/** One email to many, each: what is being sent, what will be, and what was. */
export function CampaignsPage() {
  const { workspace } = useWorkspace()
  const navigate = useNavigate()
  const may = useMay('editor')
  const [isMaking, setMaking] = useState(false)
  useHotkeys([['n', () => may && setMaking(true)]])
  const { data, error, refetch } = useRead(
    ['campaigns', 'page'],
    (api, signal) => readPages((query) => api.GET('/campaigns', { params: { query }, signal })),
    { everyMs: 5_000 },
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
        may && (
          <Button
            variant="filled"
            leftSection={<IconPlus aria-hidden />}
            disabled={isMaking}
            onClick={() => setMaking(true)}
          >
            New campaign
          </Button>
        )
      }
    >
      {isMaking && <CampaignForm onSaved={show} onCancel={() => setMaking(false)} />}
      {error && <Problem error={error} again={() => void refetch()} />}
      {!data && !error && <Rows rows={6} />}
      {data?.length === 0 && (
        <p className="t2">No campaign yet. It is one email to everybody of some lists or segments, each person once.</p>
      )}
      {data && data.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>Name</th>
              <th>State</th>
              <th className="num">Settled</th>
              <th className="num wide">Recipients</th>
              <th className="num wide">Begins</th>
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
                  <State look={CAMPAIGN_LOOKS[status]} plain />
                </td>
                <td className={`num ${settledOf(stats) === 0 ? 't3' : 'strong'}`}>{count(settledOf(stats))}</td>
                <td className={`num wide ${stats.recipients === 0 ? 't3' : ''}`}>{count(stats.recipients)}</td>
                <td className="num wide t2">
                  {localTime !== null && startedAt === null ? (
                    `${localTime.replace('T', ' ')}, where each is`
                  ) : (startedAt ?? scheduledAt) === null ? (
                    <span className="t3">Not yet</span>
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
