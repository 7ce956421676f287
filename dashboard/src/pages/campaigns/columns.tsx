import { useListName, useSegmentName } from '../../api/queries.ts'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import { count, localTimeLabel, percentOf } from '../../lib/format.ts'
import type { Column } from '../../primitives/DataTable.tsx'
import { CAMPAIGN_STATUS, type CampaignRow, finishedCountOf, sentOf } from './campaigns.ts'

const NONE = <span className="t3">–</span>

/** Whether the campaign has sent anything that can be opened. */
const hasRates = ({ delivered }: CampaignRow): boolean => delivered > 0

const rate = (of: (row: CampaignRow) => number) => ({
  sortBy: (row: CampaignRow) => (hasRates(row) ? of(row) / row.delivered : -1),
  cell: (row: CampaignRow) =>
    hasRates(row) ? (
      <span className={row.status === 'SENDING' ? 't3' : undefined}>{percentOf(of(row), row.delivered)}</span>
    ) : (
      NONE
    ),
})

/** The time by which a campaign sorts: sending, scheduled, or last edited. */
const timeOf = ({ startedAt, scheduledAt, updatedAt }: CampaignRow): string => startedAt ?? scheduledAt ?? updatedAt

/** The columns of the list of campaigns. */
export function useCampaignColumns(): readonly Column<CampaignRow>[] {
  const listName = useListName()
  const segmentName = useSegmentName()
  return [
    {
      id: 'name',
      head: 'Campaign',
      phone: 'title',
      sortBy: ({ name }) => name.toLowerCase(),
      cell: (row) => <Title {...row} />,
    },
    { id: 'status', head: 'Status', phone: 'state', cell: (row) => <Status {...row} /> },
    {
      id: 'audience',
      head: 'Audience',
      cell: ({ audience: { listIds, segmentIds } }) => {
        const names = [
          ...listIds.map((id) => listName(id) ?? 'Deleted list'),
          ...segmentIds.map((id) => segmentName(id) ?? 'Deleted segment'),
        ]
        return names.length > 0 ? (
          <span className="t2">{names.join(', ')}</span>
        ) : (
          <span className="t3">No audience</span>
        )
      },
    },
    {
      id: 'recipients',
      head: 'Recipients',
      isNumber: true,
      sortBy: ({ stats }) => stats.recipients,
      cell: ({ stats }) => (stats.recipients > 0 ? count(stats.recipients) : NONE),
    },
    {
      id: 'sent',
      head: 'Sent',
      isNumber: true,
      phone: 'number',
      sortBy: ({ stats }) => sentOf(stats),
      cell: (row) => (hasRates(row) ? <strong>{count(sentOf(row.stats))}</strong> : NONE),
    },
    { id: 'opened', head: 'Open rate', isNumber: true, ...rate(({ opened }) => opened) },
    { id: 'clicked', head: 'Click rate', isNumber: true, ...rate(({ clicked }) => clicked) },
    { id: 'when', head: 'When', isNumber: true, phone: 'about', sortBy: timeOf, cell: (row) => <When {...row} /> },
  ]
}

const Title = ({ name, subject, isAbTest }: CampaignRow) => (
  <>
    <span className="strong">{name}</span> {isAbTest && <span className="code">A/B</span>}
    <span className="small t2 wide" style={{ display: 'block' }}>
      {subject ?? 'No subject'}
    </span>
  </>
)

function Status({ status, stats, winnerAt }: CampaignRow) {
  return (
    <>
      <StatusBadge status={CAMPAIGN_STATUS[status]} plain />
      {status === 'SENDING' && (
        <span className="small t2" style={{ display: 'block' }}>
          {winnerAt === null ? (
            `${count(finishedCountOf(stats))} of ${count(stats.recipients)} done`
          ) : (
            <>
              Winner at <Time at={winnerAt} as="date" />
            </>
          )}
        </span>
      )}
    </>
  )
}

function When(row: CampaignRow) {
  const { status, localTime, startedAt, scheduledAt, updatedAt } = row
  if (startedAt !== null) return <Time at={startedAt} as="date" />
  if (localTime !== null) return <>{localTimeLabel(localTime)}, in each time zone</>
  if (scheduledAt !== null) return <Time at={scheduledAt} as="date" />
  return (
    <span className="t2">
      {status === 'DRAFT' && 'Edited '}
      <Time at={updatedAt} />
    </span>
  )
}
