import { SegmentedControl } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCursorList } from '../../api/cursor-list.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { LoadMoreButton } from '../../components/LoadMoreButton.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { NextStepTime } from '../../components/Time.tsx'
import type { Schemas } from '../../api/client.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import classes from './webhooks.module.css'
import { ALL_STATUSES, DELIVERY_STATUSES, deliveryStatus, toneOf, type Webhook } from './webhooks.ts'

type Delivery = Schemas['WebhookDelivery']

const REFETCH_MS = 5_000

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { workspace } = useWorkspace()
  const { status, delivery: shown } = useSearch({ from: '/w/$workspaceId/webhooks' })
  const navigate = useNavigate({ from: '/w/$workspaceId/webhooks' })
  const { rows, error, refetch, nextPage } = useCursorList(
    ['webhooks', webhook.id, 'deliveries', status],
    async (api, page, signal) => {
      const query = { ...page, ...(status && { status }) }
      const params = { path: { id: webhook.id }, query }
      return (await api.GET('/webhooks/{id}/deliveries', { params, signal })).data
    },
    { refetchMs: REFETCH_MS, enabled: webhook.url !== null },
  )
  if (webhook.url === null)
    return (
      <p className="t2">
        Poll the events with <span className="code">GET /webhooks/{webhook.id}/events</span>.
      </p>
    )
  return (
    <>
      <div className={`row ${classes.list}`}>
        <h3>Deliveries</h3>
        <SegmentedControl
          className="push"
          aria-label="Status"
          value={status ?? 'all'}
          onChange={(value) => {
            const chosen = ALL_STATUSES.find((each) => each === value)
            void navigate({ search: { id: webhook.id, ...(chosen && { status: chosen }) }, replace: true })
          }}
          data={[
            { value: 'all', label: 'All' },
            ...ALL_STATUSES.map((value) => ({ value, label: DELIVERY_STATUSES[value].label })),
          ]}
        />
      </div>
      <DataTable<Delivery>
        label="Deliveries"
        rows={rows}
        error={error}
        onRetry={refetch}
        idOf={({ id }) => id}
        isCurrent={({ id }) => id === shown}
        columns={COLUMNS}
        link={({ id }, title) => (
          <Link
            to="/w/$workspaceId/webhooks"
            params={{ workspaceId: workspace.id }}
            search={{ id: webhook.id, ...(status && { status }), delivery: id }}
            replace
          >
            {title}
          </Link>
        )}
        empty={
          <p className="t2">
            {status ? 'No deliveries with this status.' : 'Deliveries of the last 30 days appear here.'}
          </p>
        }
      />
      <LoadMoreButton of={nextPage} />
    </>
  )
}

const COLUMNS: readonly Column<Delivery>[] = [
  { id: 'event', head: 'Event', phone: 'title', cell: ({ type }) => <span className="strong mono">{type}</span> },
  {
    id: 'status',
    head: 'Status',
    phone: 'state',
    cell: (delivery) => <StatusBadge status={deliveryStatus(delivery)} plain />,
  },
  {
    id: 'response',
    head: 'Response',
    phone: 'about',
    cell: ({ lastAttempt }) => (
      <span className="t2">
        {lastAttempt === undefined ? (
          '–'
        ) : (
          <span className={`${classes.response} ${toneOf(lastAttempt.status)}`}>
            {lastAttempt.status ?? lastAttempt.problem ?? 'No response'}
          </span>
        )}
        {lastAttempt && <span className="t3"> {lastAttempt.durationMs} ms</span>}
      </span>
    ),
  },
  { id: 'attempts', head: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  {
    id: 'next',
    head: 'Next attempt',
    cell: ({ nextAttemptAt }) => (
      <span className="t2">{nextAttemptAt === null ? '–' : <NextStepTime at={nextAttemptAt} />}</span>
    ),
  },
  timeColumn({ head: 'Time', at: ({ createdAt }) => createdAt }, { isNumber: true, phone: 'number' }),
]
