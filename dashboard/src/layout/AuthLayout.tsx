import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Logo } from '../components/Logo.tsx'
import classes from './AuthLayout.module.css'
import { DropsIllustration } from './DropsIllustration.tsx'

/** The frame of pages outside a workspace, such as sign-in. */
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
          <a href="/docs">API reference</a>
        </footer>
      </main>
      <aside className={classes.aside} aria-hidden>
        <DropsIllustration />
        <div className={classes.card}>
          <p className="strong">Each line is a contact in an automation, each drop an email.</p>
          <p className="t2">Filled drops are sent, hollow ones scheduled. Never lost, never sent twice.</p>
        </div>
      </aside>
    </div>
  )
}
