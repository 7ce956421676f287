import { Button, TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconPlus, IconSearch, IconSpeakerphone } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { readPages } from '../../api/queries.ts'
import { useHasRole, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { Page } from '../../layout/Page.tsx'
import { percentOf, plural } from '../../lib/format.ts'
import { DataTable, type Sort } from '../../primitives/DataTable.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { ViewTabs } from '../../primitives/ViewTabs.tsx'
import { CampaignBulkActions } from './CampaignBulkActions.tsx'
import { type CampaignRow, isIn, VIEWS } from './campaigns.ts'
import { useCampaignColumns } from './columns.tsx'
import { useCreateCampaign } from './use-create-campaign.ts'

/** The number of sent campaigns in the average. */
const AVERAGED = 10

/** Lists campaigns with their rates. View, search and sorting are in the URL. */
export function CampaignsPage() {
  const { workspace } = useWorkspace()
  const { view = 'all', q = '', sort } = useSearch({ from: '/w/$workspaceId/campaigns' })
  const navigate = useNavigate({ from: '/w/$workspaceId/campaigns' })
  const canEdit = useHasRole('editor')
  const create = useCreateCampaign()
  const find = useRef<HTMLInputElement>(null)
  useHotkeys([
    ['n', () => canEdit && create.mutate()],
    ['/', () => find.current?.focus()],
  ])
  const { data, error, refetch } = useWorkspaceQuery(
    ['campaigns', 'page'],
    (api, signal) => readPages((query) => api.GET('/campaigns', { params: { query }, signal })),
    { refetchMs: 5_000 },
  )
  const columns = useCampaignColumns()
  const typed = q.toLowerCase()
  const rows = data?.filter(
    (row) => isIn(row, view) && [row.name, row.subject ?? ''].some((text) => text.toLowerCase().includes(typed)),
  )
  const newCampaign = (
    <Button
      variant="filled"
      leftSection={<IconPlus aria-hidden />}
      loading={create.isPending}
      onClick={() => create.mutate()}
    >
      New campaign
    </Button>
  )
  const set = (search: { view?: typeof view; q?: string; sort?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...search }), replace: true })
  return (
    <Page title="Campaigns" actions={canEdit && newCampaign}>
      <ViewTabs
        label="Views"
        views={VIEWS.map(({ id, label }) => ({ id, label, count: data?.filter((row) => isIn(row, id)).length }))}
        value={view}
        onChange={(id) => set({ view: id })}
      >
        <TextInput
          ref={find}
          aria-label="Search campaigns"
          placeholder="Name or subject"
          leftSection={<IconSearch aria-hidden />}
          rightSection={<kbd aria-hidden>/</kbd>}
          value={q}
          onChange={({ currentTarget: { value } }) => set({ q: value })}
        />
      </ViewTabs>
      {data && <Average of={data} />}
      <DataTable<CampaignRow>
        label="Campaigns"
        rows={rows}
        error={error}
        onRetry={() => void refetch()}
        idOf={({ id }) => id}
        columns={columns}
        link={({ id }, title) => (
          <Link to="/w/$workspaceId/campaigns/$campaignId" params={{ workspaceId: workspace.id, campaignId: id }}>
            {title}
          </Link>
        )}
        sort={sortOf(sort)}
        onSort={({ by, isDescending }) => set({ sort: `${isDescending ? '-' : ''}${by}` })}
        {...(canEdit && {
          bulk: {
            nameOf: ({ name }) => name,
            actions: (selected, clear) => <CampaignBulkActions campaigns={selected} onDone={clear} />,
          },
          keys: [['N', 'New campaign']] as const,
        })}
        total={rows && plural(rows.length, 'campaign')}
        empty={
          data?.length === 0 ? (
            <EmptyPage icon={IconSpeakerphone} title="No campaigns yet" action={canEdit && newCampaign}>
              A campaign sends one email to lists and segments, now or at a time.
            </EmptyPage>
          ) : (
            <p className="t2">No campaigns match. Choose another view or search.</p>
          )
        }
      />
    </Page>
  )
}

const sortOf = (text = '-when'): Sort => ({ by: text.replace(/^-/, ''), isDescending: text.startsWith('-') })

/** The rates of the last campaigns that were sent, weighed by their size. */
function Average({ of }: { of: readonly CampaignRow[] }) {
  const last = of.filter(({ status, delivered }) => status === 'SENT' && delivered > 0).slice(0, AVERAGED)
  if (last.length === 0) return null
  const sum = (value: (row: CampaignRow) => number) => last.reduce((total, row) => total + value(row), 0)
  const all = sum(({ delivered }) => delivered)
  return (
    <p className="small t2" style={{ textAlign: 'right', marginBottom: 8 }}>
      Last {plural(last.length, 'campaign')} sent:{' '}
      <strong>
        {percentOf(
          sum(({ opened }) => opened),
          all,
        )}
      </strong>{' '}
      open,{' '}
      <strong>
        {percentOf(
          sum(({ clicked }) => clicked),
          all,
        )}
      </strong>{' '}
      click
    </p>
  )
}
