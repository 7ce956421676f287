import { IconUserCircle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../api/workspace.tsx'
import { itemsFor, SETTINGS } from './navigation.ts'
import { Page } from './Page.tsx'
import classes from './SettingsPage.module.css'

/** A section of the settings, beside the list of sections. */
export function SettingsPage({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ReactNode
  children: ReactNode
}) {
  const { workspace } = useWorkspace()
  return (
    <Page
      title={title}
      parent="Settings"
      actions={actions}
      rail={
        <nav aria-label="Settings" className={classes.rail}>
          {itemsFor(workspace.role, SETTINGS).map(({ to, label, icon: Icon }) => (
            <Link key={to} to={to} params={{ workspaceId: workspace.id }} className={classes.link}>
              <Icon aria-hidden />
              {label}
            </Link>
          ))}
          <Link to="/account" className={classes.link}>
            <IconUserCircle aria-hidden />
            Your account
          </Link>
        </nav>
      }
    >
      {children}
    </Page>
  )
}
