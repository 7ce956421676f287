import { Link, useMatch } from '@tanstack/react-router'
import { isAtLeast } from '../api/session.ts'
import { useWorkspace } from '../api/workspace.tsx'
import { Logo } from '../components/Logo.tsx'
import { SearchButton } from './SearchButton.tsx'
import { HealthStatus } from './HealthStatus.tsx'
import { UserMenu } from './UserMenu.tsx'
import { type NavItem, NAV_ITEMS, SETTINGS_ITEMS } from './navigation.ts'
import classes from './Rail.module.css'
import { WorkspaceMenu } from './WorkspaceMenu.tsx'

export function Rail() {
  const { workspace } = useWorkspace()
  const isNarrow = useMatch({ from: '/w/$workspaceId/automations/$automationId', shouldThrow: false }) !== undefined
  const settings = SETTINGS_ITEMS.filter(({ minRole = 'viewer' }) => isAtLeast(workspace.role, minRole))
  return (
    <aside className={classes.rail} aria-label="Dripline" data-narrow={isNarrow || undefined}>
      <Link to="/w/$workspaceId" params={{ workspaceId: workspace.id }} className={classes.brand}>
        <Logo />
        <span>Dripline</span>
      </Link>
      <WorkspaceMenu />
      <SearchButton />
      <nav aria-label="Workspace" className={classes.nav}>
        {NAV_ITEMS.map((place) => (
          <NavLink key={place.to} place={place} />
        ))}
        {settings.length > 0 && <h2 className={classes.heading}>Settings</h2>}
        {settings.map((place) => (
          <NavLink key={place.to} place={place} />
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
  return (
    <Link
      to={to}
      params={{ workspaceId: workspace.id }}
      activeOptions={{ exact: to === '/w/$workspaceId', includeSearch: false }}
      className={classes.link}
    >
      <Icon aria-hidden />
      <span>{label}</span>
    </Link>
  )
}
