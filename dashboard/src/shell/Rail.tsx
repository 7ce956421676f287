import { Link, useMatch } from '@tanstack/react-router'
import { isAtLeast } from '../api/session.ts'
import { useWorkspace } from '../api/workspace.tsx'
import { Logo } from '../parts/Logo.tsx'
import { Find } from './Find.tsx'
import { Health } from './Health.tsx'
import { Me } from './Me.tsx'
import { type Place, PLACES, SETTINGS } from './places.ts'
import classes from './Rail.module.css'
import { WorkspaceMenu } from './WorkspaceMenu.tsx'

/** The rail on the left. */
export function Rail() {
  const { workspace } = useWorkspace()
  const isNarrow = useMatch({ from: '/w/$workspaceId/automations/$automationId', shouldThrow: false }) !== undefined
  const settings = SETTINGS.filter(({ least = 'viewer' }) => isAtLeast(workspace.role, least))
  return (
    <aside className={classes.rail} aria-label="Dripline" data-narrow={isNarrow || undefined}>
      <Link to="/w/$workspaceId" params={{ workspaceId: workspace.id }} className={classes.brand}>
        <Logo />
        <span>Dripline</span>
      </Link>
      <WorkspaceMenu />
      <Find />
      <nav aria-label="Workspace" className={classes.nav}>
        {PLACES.map((place) => (
          <PlaceLink key={place.to} place={place} />
        ))}
        {settings.length > 0 && <h2 className={classes.heading}>Settings</h2>}
        {settings.map((place) => (
          <PlaceLink key={place.to} place={place} />
        ))}
      </nav>
      <div className={classes.foot}>
        <Health />
        <Me />
      </div>
    </aside>
  )
}

function PlaceLink({ place: { to, word, icon: Icon } }: { place: Place }) {
  const { workspace } = useWorkspace()
  return (
    <Link
      to={to}
      params={{ workspaceId: workspace.id }}
      activeOptions={{ exact: to === '/w/$workspaceId', includeSearch: false }}
      className={classes.link}
    >
      <Icon aria-hidden />
      <span>{word}</span>
    </Link>
  )
}
