import type { ReactNode } from 'react'
import { type Check, Mark } from './Checklist.tsx'
import classes from './Steps.module.css'

/** Sections beside a line with a mark for each, for pages on which something is composed. */
export const Steps = ({ children }: { children: ReactNode }) => <div className={classes.steps}>{children}</div>

export const Step = ({
  title,
  state,
  meta,
  action,
  children,
}: {
  title: string
  state: Check['state']
  meta?: ReactNode
  action?: ReactNode
  children: ReactNode
}) => (
  <section className={classes.step} aria-label={title}>
    <div className={classes.mark}>
      <Mark state={state} />
    </div>
    <div className={classes.head}>
      <h2>{title}</h2>
      {meta !== undefined && <span className="t3">{meta}</span>}
      {action !== undefined && <span className="push">{action}</span>}
    </div>
    <div className={classes.content}>{children}</div>
  </section>
)
