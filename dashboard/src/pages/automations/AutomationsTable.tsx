import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../../api/workspace.tsx'
import { StackedBar, totalOf } from '../../components/MessageBreakdown.tsx'
import { count, plural } from '../../lib/format.ts'
import { AUTOMATION_STATUS, ENROLLMENT_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
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

export function AutomationsTable({ rows, nameOf }: { rows: readonly AutomationRow[]; nameOf: NameOf }) {
  return (
    <table className={`table stacked ${classes.table}`}>
      <thead>
        <tr>
          <th>Name</th>
          <th>Status</th>
          <th>Trigger</th>
          <th className="num wide">Enrolled</th>
          <th className={classes.barColumn}>
            <span className={classes.hidden}>Progress</span>
          </th>
          <th className="num wide">{ENROLLMENT_STATUS.COMPLETED.label}</th>
          <th className="num">Active</th>
          <th className="num wide">{ENROLLMENT_STATUS.GOAL_REACHED.label}</th>
          <th className="num wide">Ended early</th>
          <th className="num wide">Messages, 7 days</th>
          <th className={`num wide ${classes.updated}`}>Updated</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.automation.id} row={row} nameOf={nameOf} />
        ))}
      </tbody>
      <tfoot>
        <tr className="t2">
          <td>{plural(rows.length, 'automation')}</td>
          <td />
          <td />
          <td className="num wide">{count(sum(rows, ({ enrolled }) => enrolled))}</td>
          <td />
          <td className="num wide">{count(sum(rows, ({ completed }) => completed))}</td>
          <td className="num">{count(sum(rows, ({ active }) => active))}</td>
          <td className="num wide">{count(sum(rows, ({ goalReached }) => goalReached))}</td>
          <td className="num wide">{count(sum(rows, endedEarly))}</td>
          <td className="num wide">{count(sum(rows, weekTotal))}</td>
          <td className="wide" />
        </tr>
      </tfoot>
    </table>
  )
}

function Row({ row: { automation, stats }, nameOf }: { row: AutomationRow; nameOf: NameOf }) {
  const { workspace } = useWorkspace()
  const { icon: Icon, label } = TRIGGERS[triggerOf(automation)]
  return (
    <tr>
      <td className="strong" data-cell="title">
        <Link
          className={classes.name}
          to="/w/$workspaceId/automations/$automationId"
          params={{ workspaceId: workspace.id, automationId: automation.id }}
        >
          {automation.name}
        </Link>{' '}
        <span className="small t3">
          v{automation.version}
          {automation.hasDraft && ' · unpublished changes'}
        </span>
      </td>
      <td data-cell="state">
        <StatusBadge plain status={AUTOMATION_STATUS[statusOf(automation)]} />
      </td>
      <td className="t2" data-cell="about">
        <span className={classes.trigger}>
          <Icon aria-hidden />
          <span className="cut">{label(automation.triggerConfig, nameOf)}</span>
        </span>
      </td>
      <CountCell of={stats?.enrolled} wide />
      <td data-cell="bar">
        <span className={classes.outcome}>
          {stats && (stats.enrolled === 0 ? <span className="t3">None yet</span> : <OutcomeBar stats={stats} />)}
        </span>
      </td>
      <CountCell of={stats?.completed} wide />
      <td className="num strong" data-cell="number">
        {stats && stats.paused > 0 ? (
          <StatusBadge
            plain
            status={{ ...ENROLLMENT_STATUS.PAUSED, label: `${count(stats.paused)} of ${count(stats.active)} paused` }}
          />
        ) : (
          stats && (
            <span className={stats.active === 0 ? 't3' : undefined}>
              {count(stats.active)}
              <span className="phone"> active</span>
            </span>
          )
        )}
      </td>
      <CountCell of={stats?.goalReached} wide />
      <CountCell of={stats && endedEarly(stats)} wide />
      <td className="num wide">
        {stats && (
          <span className={classes.week}>
            <WeekChart days={stats.days} />
            <span className={weekTotal(stats) === 0 ? 't3' : undefined}>{count(weekTotal(stats))}</span>
          </span>
        )}
      </td>
      <td className="num wide t2">
        <Time at={automation.updatedAt} />
      </td>
    </tr>
  )
}

const CountCell = ({ of, wide = false }: { of: number | undefined; wide?: boolean }) => (
  <td className={`num ${wide ? 'wide' : ''} ${of === 0 ? 't3' : ''}`}>{of !== undefined && count(of)}</td>
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
