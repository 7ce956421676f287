import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../../api/workspace.tsx'
import { StackedBar, totalOf } from '../../components/MessageBreakdown.tsx'
import { count, plural } from '../../lib/format.ts'
import { AUTOMATION_STATUS, ENROLLMENT_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import classes from './automations.module.css'
import { type AutomationRow, statusOf } from './use-automations.ts'
import { TRIGGERS, triggerOf } from './triggers.ts'

type ListName = (id: string) => string | undefined

const sum = (rows: readonly AutomationRow[], of: (row: NonNullable<AutomationRow['figures']>) => number) =>
  rows.reduce((total, { figures }) => total + (figures ? of(figures) : 0), 0)

const weekTotal = ({ days }: NonNullable<AutomationRow['figures']>) =>
  days.reduce((total, { messages }) => total + totalOf(messages), 0)

export function AutomationsTable({ rows, listName }: { rows: readonly AutomationRow[]; listName: ListName }) {
  return (
    <table className={`table stacked ${classes.table}`}>
      <thead>
        <tr>
          <th>Name</th>
          <th>Status</th>
          <th>Starts when</th>
          <th className="num wide">Enrolled</th>
          <th className={classes.barColumn}>
            <span className={classes.hidden}>What became of them</span>
          </th>
          <th className="num wide">{ENROLLMENT_STATUS.COMPLETED.label}</th>
          <th className="num">Mid-sequence</th>
          <th className="num wide">{ENROLLMENT_STATUS.STOPPED.label}</th>
          <th className="num wide">{ENROLLMENT_STATUS.CANCELLED.label}</th>
          <th className="num wide">Messages, 7 days</th>
          <th className="num wide">Changed</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.automation.id} row={row} listName={listName} />
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
          <td className="num wide">{count(sum(rows, ({ stopped }) => stopped))}</td>
          <td className="num wide">{count(sum(rows, ({ cancelled }) => cancelled))}</td>
          <td className="num wide">{count(sum(rows, weekTotal))}</td>
          <td className="wide" />
        </tr>
      </tfoot>
    </table>
  )
}

function Row({ row: { automation, figures }, listName }: { row: AutomationRow; listName: ListName }) {
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
          {automation.hasDraft && ', with a draft'}
        </span>
      </td>
      <td data-cell="state">
        <StatusBadge plain status={AUTOMATION_STATUS[statusOf(automation)]} />
      </td>
      <td className="t2" data-cell="about">
        <span className={classes.starts}>
          <Icon aria-hidden />
          <span className="cut">{label(automation.triggerConfig, listName)}</span>
        </span>
      </td>
      <CountCell of={figures?.enrolled} wide />
      <td data-cell="bar">
        <span className={classes.became}>
          {figures &&
            (figures.enrolled === 0 ? <span className="t3">None yet</span> : <OutcomeBar figures={figures} />)}
        </span>
      </td>
      <CountCell of={figures?.completed} wide />
      <td className="num strong" data-cell="figure">
        {figures && figures.held > 0 ? (
          <StatusBadge
            plain
            status={{ ...ENROLLMENT_STATUS.HELD, label: `${count(figures.held)} of ${count(figures.active)} held` }}
          />
        ) : (
          figures && (
            <span className={figures.active === 0 ? 't3' : undefined}>
              {count(figures.active)}
              <span className="phone"> mid-sequence</span>
            </span>
          )
        )}
      </td>
      <CountCell of={figures?.stopped} wide />
      <CountCell of={figures?.cancelled} wide />
      <td className="num wide">
        {figures && (
          <span className={classes.week}>
            <WeekChart days={figures.days} />
            <span className={weekTotal(figures) === 0 ? 't3' : undefined}>{count(weekTotal(figures))}</span>
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

const OutcomeBar = ({ figures }: { figures: NonNullable<AutomationRow['figures']> }) => (
  <StackedBar
    small
    terms={[
      { meaning: 'ok', value: figures.completed },
      { meaning: 'accent', value: figures.active - figures.held },
      { meaning: 'warn', value: figures.held },
      { meaning: 'bad', value: figures.stopped },
      { meaning: 'mute', value: figures.cancelled + figures.erased },
    ]}
  />
)

/** Seven bars, a day each. */
function WeekChart({ days }: { days: NonNullable<AutomationRow['figures']>['days'] }) {
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
