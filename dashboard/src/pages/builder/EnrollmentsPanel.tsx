import { Panel } from '@xyflow/react'
import { StackedBar } from '../../components/MessageBreakdown.tsx'
import { count, plural } from '../../lib/format.ts'
import type { CanvasStats } from './canvas-props.ts'
import classes from './Canvas.module.css'
import { refusedCount } from './step-stats.ts'

/** Shows how all enrollments add up, above the canvas. */
export function EnrollmentsPanel({ numbers }: { numbers: CanvasStats }) {
  const { enrolled, completed, active, stopped, cancelled, erased, exited, goalReached } = numbers
  const rare = [
    { label: 'Goal reached', meaning: 'ok', value: goalReached },
    { label: 'Exited', meaning: 'mute', value: exited },
    { label: 'Erased', meaning: 'mute', value: erased },
  ] as const
  const terms = [
    { label: 'Completed', meaning: 'ok', value: completed },
    { label: 'Active', meaning: 'accent', value: active },
    { label: 'Stopped', meaning: 'bad', value: stopped },
    { label: 'Cancelled', meaning: 'mute', value: cancelled },
    ...rare.filter(({ value }) => value > 0),
  ] as const
  const refused = refusedCount(numbers)
  return (
    <Panel position="top-left" className={classes.all}>
      <h2>All enrollments</h2>
      <dl>
        <div>
          <dt>Enrolled</dt>
          <dd className="strong">{count(enrolled)}</dd>
        </div>
        {terms.map(({ label, meaning, value }) => (
          <div key={label}>
            <dt className={`${classes.square} c-${meaning}`}>{label}</dt>
            <dd className={value === 0 ? 't3' : 'strong'}>{count(value)}</dd>
          </div>
        ))}
      </dl>
      <StackedBar small terms={terms.map(({ meaning, value }) => ({ meaning, value }))} />
      {refused > 0 && (
        <p className="small t2" style={{ marginTop: 8 }}>
          {plural(refused, 'entry', 'entries')} refused
        </p>
      )}
    </Panel>
  )
}
