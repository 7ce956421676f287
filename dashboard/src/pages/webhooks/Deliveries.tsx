import { SegmentedControl } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCursorList } from '../../api/cursor-list.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { LoadMoreButton } from '../../components/LoadMoreButton.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { NextStepTime, Time } from '../../components/Time.tsx'
import classes from './webhooks.module.css'
import { ALL_STATUSES, DELIVERY_STATUSES, deliveryStatus, toneOf, type Webhook } from './webhooks.ts'

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
      {error && <ErrorBanner error={error} onRetry={refetch} />}
      {!rows && !error && <SkeletonRows rows={6} />}
      {rows?.length === 0 && (
        <p className="t2">
          {status ? 'No deliveries with this status.' : 'Deliveries of the last 30 days appear here.'}
        </p>
      )}
      {rows && rows.length > 0 && (
        <table className="table stacked">
          <thead>
            <tr>
              <th>Event</th>
              <th>Status</th>
              <th>Response</th>
              <th className="num wide">Attempts</th>
              <th className="wide">Next attempt</th>
              <th className="num">Time</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id} aria-current={row.id === shown || undefined}>
                <td className="strong" data-cell="title">
                  <Link
                    to="/w/$workspaceId/webhooks"
                    params={{ workspaceId: workspace.id }}
                    search={{ id: webhook.id, ...(status && { status }), delivery: row.id }}
                    className="mono"
                    replace
                  >
                    {row.type}
                  </Link>
                </td>
                <td data-cell="state">
                  <StatusBadge status={deliveryStatus(row)} plain />
                </td>
                <td className="t2" data-cell="about">
                  {row.lastAttempt === undefined ? (
                    '–'
                  ) : (
                    <span className={`${classes.response} ${toneOf(row.lastAttempt.status)}`}>
                      {row.lastAttempt.status ?? row.lastAttempt.problem ?? 'No response'}
                    </span>
                  )}
                  {row.lastAttempt && <span className="t3"> {row.lastAttempt.durationMs} ms</span>}
                </td>
                <td className="num wide">{row.attempts}</td>
                <td className="wide t2">
                  {row.nextAttemptAt === null ? '–' : <NextStepTime at={row.nextAttemptAt} />}
                </td>
                <td className="num t2" data-cell="number">
                  <Time at={row.createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <LoadMoreButton of={nextPage} />
    </>
  )
}
