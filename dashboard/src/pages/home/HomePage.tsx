import { SegmentedControl } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRead, useWorkspace } from '../../api/workspace.tsx'
import { Account, totalOf } from '../../parts/Account.tsx'
import { now, useNow } from '../../parts/clock.ts'
import { NO_MESSAGES } from '../../parts/no-messages.ts'
import { count, fullDate, things } from '../../parts/numbers.ts'
import { useIsPhone } from '../../parts/use-is-phone.ts'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Page, Part } from '../../shell/Page.tsx'
import { Decisions } from './Decisions.tsx'
import { UntilFirst } from './FirstSteps.tsx'
import { FlowChart } from './FlowChart.tsx'
import classes from './HomePage.module.css'
import { Ledger } from './Ledger.tsx'
import { MidSequence } from './MidSequence.tsx'

const SPANS = {
  '24h': { word: '24 hours', title: 'Last 24 hours', days: 1 },
  '7d': { word: '7 days', title: 'Last 7 days', days: 7 },
  '30d': { word: '30 days', title: 'Last 30 days', days: 30 },
} as const
type Span = keyof typeof SPANS

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
      beside={<Today />}
      actions={
        <SegmentedControl
          aria-label="How far back"
          value={last}
          onChange={choose}
          data={Object.entries(SPANS).map(([value, { word }]) => ({ value, label: word }))}
        />
      }
      aside={
        isPhone ? undefined : (
          <>
            <Decisions />
            <Ledger />
          </>
        )
      }
    >
      <UntilFirst>
        <Due span={last} />
        {isPhone && <Decisions />}
        <Flow />
        <MidSequence />
        {isPhone && <Ledger />}
      </UntilFirst>
    </Page>
  )
}

const Today = () => <span className="t2 wide">{fullDate(useNow(30))}</span>

/** What was to be sent lately, and what became of each. */
function Due({ span }: { span: Span }) {
  const { workspace } = useWorkspace()
  const { title, days } = SPANS[span]
  const { data, error, refetch, isPlaceholderData } = useRead(
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
    { everyMs: 10_000 },
  )
  const counts = data?.[0]?.messages ?? NO_MESSAGES
  const total = totalOf(counts)
  return (
    <section className={classes.due} aria-busy={isPlaceholderData}>
      <h2 className="t2">{title}</h2>
      {error ? (
        <Problem error={error} again={() => void refetch()} />
      ) : data ? (
        <>
          <p className={classes.claim}>
            {things(total, 'message')} {total === 1 ? 'was' : 'were'} due.{' '}
            {total > 0 && <span className="t3">Every one is accounted for.</span>}
          </p>
          <Account counts={counts} isTest={workspace.mode === 'test'} />
        </>
      ) : (
        <Rows rows={3} />
      )}
    </section>
  )
}

function Flow() {
  const { data, error, refetch } = useRead(
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
    { everyMs: 60_000 },
  )
  const waiting = data?.intervals.reduce((sum, interval) => sum + interval.waiting, 0) ?? 0
  return (
    <Part title="Sent, and already due">
      {error ? <Problem error={error} again={() => void refetch()} /> : <FlowChart flow={data} />}
      {data && (
        <p className="small t3">
          {count(waiting)} {waiting === 1 ? 'contact goes' : 'contacts go'} on by a timer until then, each with what is
          next for them. What follows that, and whoever enrolls later, comes on top.
        </p>
      )}
    </Part>
  )
}
