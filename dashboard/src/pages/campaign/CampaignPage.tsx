import { Button } from '@mantine/core'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay, useRead, useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { Account } from '../../parts/Account.tsx'
import { Delete } from '../../parts/Delete.tsx'
import { count } from '../../parts/numbers.ts'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { MESSAGE_LOOKS, State } from '../../parts/states.tsx'
import { Page, Part } from '../../shell/Page.tsx'
import { CampaignForm } from '../campaigns/CampaignForm.tsx'
import { type Campaign, CAMPAIGN_LOOKS, isUnderWay } from '../campaigns/campaigns.ts'
import { CampaignPreview } from './CampaignPreview.tsx'
import { Facts } from './Facts.tsx'
import { Moves } from './Moves.tsx'
import { Schedule } from './Schedule.tsx'
import { TestResult } from './TestResult.tsx'

/** A campaign: what it says, to whom, when, and what has become of everybody. */
export function CampaignPage() {
  const { campaignId } = useParams({ from: '/w/$workspaceId/campaigns/$campaignId' })
  const may = useMay('editor')
  const [asked, setDoing] = useState<'editing' | 'scheduling' | 'deleting'>()
  const stop = () => setDoing(undefined)
  const { data, error, refetch } = useRead(
    ['campaigns', campaignId],
    async (api, signal) => {
      const { data: answer, response } = await api.GET('/campaigns/{id}', {
        params: { path: { id: campaignId } },
        signal,
      })
      return { campaign: answer.data, etag: response.headers.get('etag') }
    },
    { everyMs: 2_000 },
  )
  if (!data) {
    return (
      <Page title="Campaign" narrow>
        {error ? <Problem error={error} again={() => void refetch()} /> : <Rows rows={8} />}
      </Page>
    )
  }
  const { campaign } = data
  const { status, name } = campaign
  const isDraft = status === 'DRAFT'
  // What is begun, by whomever, can be paused: the form that asks when is over, though nobody has heard what came of it.
  if (asked === 'scheduling' && !isDraft) setDoing(undefined)
  const doing = asked === 'scheduling' && !isDraft ? undefined : asked
  return (
    <Page
      title={name}
      narrow
      beside={<State look={CAMPAIGN_LOOKS[status]} />}
      actions={
        may &&
        doing === undefined && (
          <>
            {!isUnderWay(status) && status !== 'PAUSED' && (
              <Button variant="subtle" color="gray" onClick={() => setDoing('deleting')}>
                Delete…
              </Button>
            )}
            {isDraft && <Button onClick={() => setDoing('editing')}>Edit</Button>}
            {isDraft && (
              <Button variant="filled" onClick={() => setDoing('scheduling')}>
                Send…
              </Button>
            )}
            <Moves campaign={campaign} />
          </>
        )
      }
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      {doing === 'deleting' && <Remove campaign={campaign} onDone={stop} />}
      {/* It is read again and again meanwhile: what is edited is what was there when that began. */}
      {doing === 'editing' && <CampaignForm from={data} onSaved={stop} onCancel={stop} />}
      {/* What is sent is what is seen here, or nothing. */}
      {doing === 'scheduling' && isDraft && <Schedule from={data} onDone={stop} />}
      {!isDraft && <Became campaign={campaign} />}
      {campaign.abTest && <TestResult test={campaign.abTest} />}
      <Facts campaign={campaign} />
      {doing !== 'editing' && campaign.subject !== null && <CampaignPreview campaign={campaign} />}
    </Page>
  )
}

/** The account: everybody whom it is for, and what became of each. */
function Became({ campaign: { id, stats, status, opened, clicked } }: { campaign: Campaign }) {
  const { workspace } = useWorkspace()
  const { data: account } = useRead(
    ['campaigns', id, 'account', status],
    async (api, signal) => (await api.GET('/campaigns/{id}/account', { params: { path: { id } }, signal })).data.data,
    isUnderWay(status) ? { everyMs: 5_000 } : {},
  )
  const reasons = account?.reasons ?? []
  return (
    <Part title="What became of everybody">
      <Account
        counts={stats}
        isTest={workspace.mode === 'test'}
        total={{ word: 'Recipients', value: stats.recipients }}
      />
      {opened + clicked > 0 && (
        <p className="small t2" style={{ marginTop: 12 }}>
          {count(opened)} opened it, and {count(clicked)} followed a link of it, as far as that can be told.
        </p>
      )}
      {stats.erased > 0 && (
        <p className="small t3">
          Of the recipients {count(stats.erased)} {stats.erased === 1 ? 'was' : 'were'} erased since.
        </p>
      )}
      {reasons.length > 0 && (
        <table className="table" style={{ marginTop: 16 }}>
          <thead>
            <tr>
              <th>Not sent</th>
              <th>Why</th>
              <th className="num">Contacts</th>
            </tr>
          </thead>
          <tbody>
            {reasons.map(({ status: each, reason, count: many }) => (
              <tr key={`${each} ${reason}`}>
                <td>
                  <State look={MESSAGE_LOOKS[each]} plain />
                </td>
                <td className="t2">{reason}</td>
                <td className="num strong">
                  <Link
                    to="/w/$workspaceId/messages"
                    params={{ workspaceId: workspace.id }}
                    search={{ status: each, campaignId: id }}
                  >
                    {count(many)}
                  </Link>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p style={{ marginTop: 12 }}>
        <Link
          className="link"
          to="/w/$workspaceId/messages"
          params={{ workspaceId: workspace.id }}
          search={{ campaignId: id }}
        >
          Each message
        </Link>
      </p>
    </Part>
  )
}

function Remove({ campaign: { id }, onDone }: { campaign: Campaign; onDone: () => void }) {
  const { api, workspace } = useWorkspace()
  const readAgain = useReadAgain()
  const navigate = useNavigate()
  const remove = async () => {
    await api.DELETE('/campaigns/{id}', { params: { path: { id } } })
    await navigate({ to: '/w/$workspaceId/campaigns', params: { workspaceId: workspace.id } })
    void readAgain('campaigns', 'page')
  }
  return (
    <Delete
      what="campaign"
      path={`/campaigns/${id}`}
      says="What was sent stays with its contacts."
      call={remove}
      onDone={onDone}
    />
  )
}
