import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../../api/workspace.tsx'
import { StackedBar, totalOf } from '../../components/MessageBreakdown.tsx'
import { count, plural } from '../../lib/format.ts'
import { AUTOMATION_STATUS, ENROLLMENT_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import classes from './automations.module.css'
import { type AutomationRow, statusOf } from './use-automations.ts'
import { TRIGGERS, triggerOf } from './triggers.ts'

type NameOf = (id: string) => string | undefined

const sum = (rows: readonly AutomationRow[], of: (row: NonNullable<AutomationRow['stats']>) => number) =>
  rows.reduce((total, { stats }) => total + (stats ? of(stats) : 0), 0)

/** Enrollments that ended before the last step, without the goal. Erased ones may have been completed. */
const endedEarly = ({ exited, stopped, cancelled }: NonNullable<AutomationRow['stats']>) => exited + stopped + cancelled

const weekTotal = ({ days }: NonNullable<AutomationRow['stats']>) =>
  days.reduce((total, { messages }) => total + totalOf(messages), 0)

/** Lists automations with the results of their enrollments. */
export function AutomationsTable({ rows, nameOf }: { rows: readonly AutomationRow[]; nameOf: NameOf }) {
  const { workspace } = useWorkspace()
  return (
    <DataTable<AutomationRow>
      label="Automations"
      rows={rows}
      idOf={({ automation }) => automation.id}
      columns={columnsOf(rows, nameOf)}
      link={({ automation }, title) => (
        <Link
          className={classes.name}
          to="/w/$workspaceId/automations/$automationId"
          params={{ workspaceId: workspace.id, automationId: automation.id }}
        >
          {title}
        </Link>
      )}
      empty={null}
    />
  )
}

type Stats = NonNullable<AutomationRow['stats']>

/** A column with a number of each automation, and its sum. */
const numberColumn = (
  id: string,
  head: string,
  rows: readonly AutomationRow[],
  of: (stats: Stats) => number,
): Column<AutomationRow> => ({
  id,
  head,
  isNumber: true,
  cell: ({ stats }) => stats && <span className={of(stats) === 0 ? 't3' : ''}>{count(of(stats))}</span>,
  total: count(sum(rows, of)),
})

const columnsOf = (rows: readonly AutomationRow[], nameOf: NameOf): readonly Column<AutomationRow>[] => [
  {
    id: 'name',
    head: 'Name',
    phone: 'title',
    cell: ({ automation: { name, version, hasDraft } }) => (
      <>
        <span className="strong">{name}</span>{' '}
        <span className="small t3">
          v{version}
          {hasDraft && ' · unpublished changes'}
        </span>
      </>
    ),
    total: plural(rows.length, 'automation'),
  },
  {
    id: 'status',
    head: 'Status',
    phone: 'state',
    cell: ({ automation }) => <StatusBadge plain status={AUTOMATION_STATUS[statusOf(automation)]} />,
  },
  {
    id: 'trigger',
    head: 'Trigger',
    phone: 'about',
    cell: ({ automation }) => {
      const { icon: Icon, label } = TRIGGERS[triggerOf(automation)]
      return (
        <span className={`t2 ${classes.trigger}`}>
          <Icon aria-hidden />
          <span className="cut">{label(automation.triggerConfig, nameOf)}</span>
        </span>
      )
    },
  },
  numberColumn('enrolled', 'Enrolled', rows, ({ enrolled }) => enrolled),
  {
    id: 'progress',
    head: 'Progress',
    hidesHead: true,
    phone: 'bar',
    cell: ({ stats }) => (
      <span className={classes.outcome}>
        {stats && (stats.enrolled === 0 ? <span className="t3">None yet</span> : <OutcomeBar stats={stats} />)}
      </span>
    ),
  },
  numberColumn('completed', ENROLLMENT_STATUS.COMPLETED.label, rows, ({ completed }) => completed),
  {
    id: 'active',
    head: 'Active',
    isNumber: true,
    phone: 'number',
    cell: ({ stats }) => stats && <ActiveCount stats={stats} />,
    total: count(sum(rows, ({ active }) => active)),
  },
  numberColumn('goal', ENROLLMENT_STATUS.GOAL_REACHED.label, rows, ({ goalReached }) => goalReached),
  numberColumn('early', 'Ended early', rows, endedEarly),
  {
    id: 'week',
    head: 'Messages, 7 days',
    isNumber: true,
    cell: ({ stats }) =>
      stats && (
        <span className={classes.week}>
          <WeekChart days={stats.days} />
          <span className={weekTotal(stats) === 0 ? 't3' : undefined}>{count(weekTotal(stats))}</span>
        </span>
      ),
    total: count(sum(rows, weekTotal)),
  },
  timeColumn({ head: 'Updated', at: ({ automation }) => automation.updatedAt }),
]

const ActiveCount = ({ stats: { paused, active } }: { stats: Stats }) =>
  paused > 0 ? (
    <StatusBadge plain status={{ ...ENROLLMENT_STATUS.PAUSED, label: `${count(paused)} of ${count(active)} paused` }} />
  ) : (
    <span className={active === 0 ? 't3' : 'strong'}>
      {count(active)}
      <span className="phone"> active</span>
    </span>
  )

const OutcomeBar = ({ stats }: { stats: NonNullable<AutomationRow['stats']> }) => (
  <StackedBar
    small
    terms={[
      { meaning: 'ok', value: stats.completed + stats.goalReached },
      { meaning: 'accent', value: stats.active - stats.paused },
      { meaning: 'warn', value: stats.paused },
      { meaning: 'bad', value: stats.stopped },
      { meaning: 'mute', value: stats.exited + stats.cancelled + stats.erased },
    ]}
  />
)

/** A bar chart of the last seven days. */
function WeekChart({ days }: { days: NonNullable<AutomationRow['stats']>['days'] }) {
  const values = days.map(({ messages }) => totalOf(messages))
  const most = Math.max(...values, 1)
  return (
    <svg width="48" height="16" aria-hidden className={classes.spark}>
      {values.map((value, n) => {
        const height = value === 0 ? 1 : Math.max(2, (16 * value) / most)
        return (
          <rect
            key={n}
            x={n * 7}
            y={16 - height}
            width="5"
            height={height}
            rx="1"
            data-none={value === 0 || undefined}
          />
        )
      })}
    </svg>
  )
}
