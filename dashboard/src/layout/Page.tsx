import { useDocumentTitle } from '@mantine/hooks'
import { IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useWorkspace } from '../api/workspace.tsx'
import classes from './Page.module.css'

/** A page with a title bar and an optional aside. @param meta secondary text next to the title */
export function Page({
  title,
  parent,
  meta,
  actions,
  aside,
  rail,
  narrow = false,
  isFull = false,
  children,
}: {
  title: string
  /** A link to the list of the record. */
  parent?: ReactNode
  meta?: ReactNode
  actions?: ReactNode
  aside?: ReactNode
  /** Links to the sections that the page is one of. */
  rail?: ReactNode
  narrow?: boolean
  /** Whether the content fills the page to its edges and scrolls itself. */
  isFull?: boolean
  children: ReactNode
}) {
  const { workspace } = useWorkspace()
  useDocumentTitle(`${workspace.mode === 'test' ? 'Test · ' : ''}${title} · ${workspace.name}`)
  return (
    <>
      <header className={classes.bar}>
        {parent !== undefined && (
          <nav aria-label="Breadcrumb" className={`wide ${classes.parent}`}>
            {parent}
            <IconChevronRight aria-hidden />
          </nav>
        )}
        <h1 className={classes.title}>{title}</h1>
        {meta}
        <div className={`push ${classes.actions}`}>{actions}</div>
      </header>
      <main className={classes.page}>
        {rail !== undefined ? (
          <div className={classes.sections}>
            {rail}
            <div className={classes.narrow}>{children}</div>
          </div>
        ) : (
          // The same elements with and without an aside, so that opening one keeps the focus and what is typed.
          <div className={aside === undefined ? classes.single : classes.columns}>
            <div className={isFull ? classes.full : narrow ? classes.narrow : classes.body}>{children}</div>
            {aside !== undefined && aside !== false && <aside className={classes.aside}>{aside}</aside>}
          </div>
        )}
      </main>
    </>
  )
}

export function Section({
  title,
  meta,
  action,
  children,
}: {
  title: string
  meta?: ReactNode
  action?: ReactNode
  children: ReactNode
}) {
  return (
    <section className={classes.section}>
      <div className={classes.head}>
        <h2>{title}</h2>
        {meta !== undefined && <span className="t3">{meta}</span>}
        {action !== undefined && <span className="push">{action}</span>}
      </div>
      {children}
    </section>
  )
}
