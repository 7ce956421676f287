import { Link, useMatch, useMatches } from '@tanstack/react-router'
import { useWorkspace } from '../api/workspace.tsx'
import { Logo } from '../components/Logo.tsx'
import { SearchButton } from './SearchButton.tsx'
import { HealthStatus } from './HealthStatus.tsx'
import { UserMenu } from './UserMenu.tsx'
import { Fragment } from 'react'
import { itemsFor, type NavItem, NAV_GROUPS, SETTINGS } from './navigation.ts'
import classes from './Rail.module.css'
import { WorkspaceMenu } from './WorkspaceMenu.tsx'

export function Rail() {
  const { workspace } = useWorkspace()
  const builder = useMatch({ from: '/w/$workspaceId/automations/$automationId', shouldThrow: false })
  const emailEditor = useMatch({ from: '/w/$workspaceId/templates/$templateId', shouldThrow: false })
  /** Editors need the width. */
  const rehearsal = useMatch({ from: '/w/$workspaceId/automations/$automationId/rehearse', shouldThrow: false })
  const isNarrow = builder !== undefined || rehearsal !== undefined || emailEditor !== undefined
  const groups = NAV_GROUPS.map((group) => ({ ...group, items: itemsFor(workspace.role, group.items) }))
  return (
    <aside className={classes.rail} aria-label="Dripline" data-narrow={isNarrow || undefined}>
      <Link to="/w/$workspaceId" params={{ workspaceId: workspace.id }} className={classes.brand}>
        <Logo />
        <span>Dripline</span>
      </Link>
      <WorkspaceMenu />
      <SearchButton />
      <nav aria-label="Workspace" className={classes.nav}>
        {groups.map(({ label, items }, n) => (
          <Fragment key={n}>
            {label !== null && items.length > 0 && <h2 className={classes.heading}>{label}</h2>}
            {label === null && n > 0 && <div className={classes.gap} />}
            {items.map((place) => (
              <NavLink key={place.to} place={place} />
            ))}
          </Fragment>
        ))}
      </nav>
      <div className={classes.foot}>
        <HealthStatus />
        <UserMenu />
      </div>
    </aside>
  )
}

function NavLink({ place: { to, label, icon: Icon } }: { place: NavItem }) {
  const { workspace } = useWorkspace()
  const isSection = useMatches({ select: (matches) => SETTINGS.some((item) => item.to === matches.at(-1)?.fullPath) })
  return (
    <Link
      to={to}
      params={{ workspaceId: workspace.id }}
      activeOptions={{ exact: to === '/w/$workspaceId', includeSearch: false }}
      className={classes.link}
      {...(to === SETTINGS[0]!.to && isSection && { 'aria-current': 'true' as const })}
    >
      <Icon aria-hidden />
      <span>{label}</span>
    </Link>
  )
}
