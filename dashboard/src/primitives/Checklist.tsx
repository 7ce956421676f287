import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './Checklist.module.css'

/** A check before something is sent: an error stops it, a warning does not. */
export interface Check {
  id: string
  name: string
  state: 'ok' | 'warning' | 'error'
  fact: ReactNode
  action?: ReactNode
}

const MARKS = {
  ok: { icon: IconCheck, tone: 'ok', word: 'Passed' },
  warning: { icon: IconAlertTriangle, tone: 'warn', word: 'Warning' },
  error: { icon: IconX, tone: 'bad', word: 'Problem' },
} as const

/** The mark of a check or a section. */
export function Mark({ state }: { state: Check['state'] }) {
  const { icon: Icon, tone, word } = MARKS[state]
  return (
    <span className={`${classes.mark} c-${tone}`} role="img" aria-label={word}>
      <Icon size={12} stroke={2.5} aria-hidden />
    </span>
  )
}

/** @param isColumn whether the checks are below each other, for sentences and buttons */
export const Checklist = ({ checks, isColumn = false }: { checks: readonly Check[]; isColumn?: boolean }) => (
  <ul className={`${classes.checks} ${isColumn ? '' : classes.columns}`}>
    {checks.map(({ id, name, state, fact, action }) => (
      <li key={id} data-check={id}>
        <Mark state={state} />
        <div>
          <p className="strong">{name}</p>
          <p className="t2">{fact}</p>
        </div>
        {action !== undefined && <span className={classes.action}>{action}</span>}
      </li>
    ))}
  </ul>
)

/** Returns the state of several checks: that of the worst. */
export const worstOf = (checks: readonly Check[]): Check['state'] =>
  (['error', 'warning'] as const).find((state) => checks.some((check) => check.state === state)) ?? 'ok'
