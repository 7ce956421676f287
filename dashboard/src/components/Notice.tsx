import type { ReactNode } from 'react'
import classes from './Notice.module.css'

/** A notice that needs a decision. */
export const Notice = ({
  title,
  className = '',
  children,
}: {
  title: string
  className?: string | undefined
  children: ReactNode
}) => (
  <div className={`${classes.notice} c-warn ${className}`} role="alert">
    <h3>{title}</h3>
    {children}
  </div>
)
