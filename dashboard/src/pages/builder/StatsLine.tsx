import { breakdownOf } from '../../components/MessageBreakdown.tsx'
import { MESSAGE_STATUS } from '../../components/StatusBadge.tsx'
import { count } from '../../lib/format.ts'
import classes from './Canvas.module.css'
import type { StepStats } from './step-stats.ts'
import type { Step } from './steps.ts'

/** The contacts at a step and those who passed it; of an email, its messages by status. */
export function StatsLine({
  type,
  numbers: { messages, here, passed },
}: {
  type: Step['type']
  numbers: Pick<StepStats, 'messages' | 'here' | 'passed'>
}) {
  return (
    <span className={classes.numbers}>
      {type === 'EMAIL' ? (
        breakdownOf(messages, messages.captured > 0 && messages.sent === 0)
          .filter(({ value }, n) => value > 0 || n === 0)
          .map(({ status, value }) => {
            const { icon: Icon, label, tone } = MESSAGE_STATUS[status]
            return (
              <span
                key={status}
                className={`${classes.term} c-${tone}`}
                title={`${count(value)} ${label.toLowerCase()}`}
              >
                <Icon size={14} stroke={2} role="img" aria-label={label} />
                {count(value)}
              </span>
            )
          })
      ) : (
        <span>{count(passed)} passed</span>
      )}
      {here > 0 && <span className={classes.here}>{count(here)} here</span>}
    </span>
  )
}
