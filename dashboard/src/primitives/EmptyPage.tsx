import type { TablerIcon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './EmptyPage.module.css'

/** A page without records: explains what they would be, and offers one action. */
export const EmptyPage = ({
  icon: Icon,
  title,
  action,
  children,
}: {
  icon: TablerIcon
  title: string
  action?: ReactNode
  children: ReactNode
}) => (
  <div className={classes.empty}>
    <Icon aria-hidden size={24} />
    <h2>{title}</h2>
    <p className="t2">{children}</p>
    {action}
  </div>
)
