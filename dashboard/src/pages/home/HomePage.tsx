import { SegmentedControl } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useWorkspaceQuery, useWorkspace } from '../../api/workspace.tsx'
import { MessageBreakdown, totalOf } from '../../components/MessageBreakdown.tsx'
import { now, useNow } from '../../lib/clock.ts'
import { NO_MESSAGES } from '../../lib/no-messages.ts'
import { count, fullDate, plural } from '../../lib/format.ts'
import { useIsPhone } from '../../lib/use-is-phone.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { NeedsAttention } from './NeedsAttention.tsx'
import { FirstStepsOr } from './FirstStepsOr.tsx'
import { FlowChart } from './FlowChart.tsx'
import classes from './HomePage.module.css'
import { LatestMessages } from './LatestMessages.tsx'
import { ActiveAutomations } from './ActiveAutomations.tsx'

const PERIODS = {
  '24h': { label: '24 hours', title: 'Last 24 hours', days: 1 },
  '7d': { label: '7 days', title: 'Last 7 days', days: 7 },
  '30d': { label: '30 days', title: 'Last 30 days', days: 30 },
} as const
type Period = keyof typeof PERIODS

const QUARTER_MS = 900_000
const DAY_MS = 86_400_000

export function HomePage() {
  const { last = '24h' } = useSearch({ from: '/w/$workspaceId/' })
  const isPhone = useIsPhone()
  const navigate = useNavigate({ from: '/w/$workspaceId/' })
  const choose = (value: string) =>
    void navigate({ search: value === '24h' ? {} : { last: value as '7d' }, replace: true })
  return (
    <Page
      title="Home"
      meta={<Today />}
      actions={
        <SegmentedControl
          aria-label="Period"
          value={last}
          onChange={choose}
          data={Object.entries(PERIODS).map(([value, { label }]) => ({ value, label }))}
        />
      }
      aside={
        isPhone ? undefined : (
          <>
            <NeedsAttention />
            <LatestMessages />
          </>
        )
      }
    >
      <FirstStepsOr>
        <DueMessages span={last} />
        {isPhone && <NeedsAttention />}
        <ScheduleChart />
        <ActiveAutomations />
        {isPhone && <LatestMessages />}
      </FirstStepsOr>
    </Page>
  )
}

const Today = () => <span className="t2 wide">{fullDate(useNow(30))}</span>

/** The messages of the period, by status. */
function DueMessages({ span }: { span: Period }) {
  const { workspace } = useWorkspace()
  const { title, days } = PERIODS[span]
  const { data, error, refetch, isPlaceholderData } = useWorkspaceQuery(
    ['flow', 'due', span],
    async (api, signal) => {
      const until = (Math.floor(now().getTime() / QUARTER_MS) + 1) * QUARTER_MS
      const query = {
        since: new Date(until - days * DAY_MS).toISOString(),
        until: new Date(until).toISOString(),
        minutes: days * 1_440,
      }
      return (await api.GET('/flow', { params: { query }, signal })).data.data
    },
    { refetchMs: 10_000 },
  )
  const counts = data?.[0]?.messages ?? NO_MESSAGES
  const total = totalOf(counts)
  return (
    <section className={classes.due} aria-busy={isPlaceholderData}>
      <h2 className="t2">{title}</h2>
      {error ? (
        <ErrorBanner error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <>
          <p className={classes.claim}>
            {plural(total, 'message')} due.{' '}
            {total > 0 && <span className="t3">{total === 1 ? 'It is accounted for.' : 'All accounted for.'}</span>}
          </p>
          <MessageBreakdown counts={counts} isTest={workspace.mode === 'test'} />
        </>
      ) : (
        <SkeletonRows rows={3} />
      )}
    </section>
  )
}

function ScheduleChart() {
  const { data, error, refetch } = useWorkspaceQuery(
    ['flow', 'chart'],
    async (api, signal) => {
      const today = new Date(now())
      today.setHours(0, 0, 0, 0)
      const since = today.getTime() - 6 * DAY_MS
      const query = {
        since: new Date(since).toISOString(),
        until: new Date(since + 14 * DAY_MS).toISOString(),
        minutes: 360,
      }
      return { since, intervals: (await api.GET('/flow', { params: { query }, signal })).data.data }
    },
    { refetchMs: 60_000 },
  )
  const waiting = data?.intervals.reduce((sum, interval) => sum + interval.waiting, 0) ?? 0
  return (
    <Section title="Sent and scheduled">
      {error ? <ErrorBanner error={error} onRetry={() => void refetch()} /> : <FlowChart flow={data} />}
      {data && (
        <p className="small t3">
          {count(waiting)} {waiting === 1 ? 'contact has' : 'contacts have'} a step scheduled in the next 7 days. Later
          steps and new enrollments aren’t included.
        </p>
      )}
    </Section>
  )
}
