import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Logo } from '../components/Logo.tsx'
import classes from './AuthLayout.module.css'
import { DropsIllustration } from './DropsIllustration.tsx'

/** A page that stands for itself: before somebody is in a workspace. */
export function AuthLayout({ title, children }: { title: string; children: ReactNode }) {
  useDocumentTitle(`${title} · Dripline`)
  return (
    <div className={classes.page}>
      <main className={classes.main}>
        <div className={classes.brand}>
          <Logo size={24} />
          Dripline
        </div>
        <div className={classes.form}>
          <h1 className={classes.title}>{title}</h1>
          {children}
        </div>
        <footer className={classes.foot}>
          <a href="/docs">Reference</a>
        </footer>
      </main>
      <aside className={classes.aside} aria-hidden>
        <DropsIllustration />
        <div className={classes.card}>
          <p className="strong">One line is one contact in one automation.</p>
          <p className="t2">One drop is one message: sent, or already due. Nothing lost, nothing twice.</p>
        </div>
      </aside>
    </div>
  )
}
