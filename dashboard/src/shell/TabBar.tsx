import { Menu, UnstyledButton } from '@mantine/core'
import { IconDots, IconSearch } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { isAtLeast } from '../api/session.ts'
import { useWorkspace } from '../api/workspace.tsx'
import { openPalette } from './Find.tsx'
import { OwnItems } from './Me.tsx'
import { WorkspaceItems } from './WorkspaceMenu.tsx'
import { PLACES, SETTINGS } from './places.ts'
import classes from './TabBar.module.css'

/** As many fit beside "More". */
const SHOWN = 4

/** The bar at the bottom of a phone. */
export function TabBar() {
  const { workspace } = useWorkspace()
  const navigate = useNavigate()
  const params = { workspaceId: workspace.id }
  const more = [...PLACES.slice(SHOWN), ...SETTINGS].filter(({ least = 'viewer' }) => isAtLeast(workspace.role, least))
  return (
    <nav aria-label="Workspace" className={`phone ${classes.bar}`}>
      {PLACES.slice(0, SHOWN).map(({ to, word, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          params={params}
          activeOptions={{ exact: to === '/w/$workspaceId', includeSearch: false }}
          className={classes.tab}
        >
          <Icon aria-hidden />
          {word}
        </Link>
      ))}
      <Menu position="top-end" width={260}>
        <Menu.Target>
          <UnstyledButton className={classes.tab}>
            <IconDots aria-hidden />
            More
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown mah="calc(100dvh - 80px)" style={{ overflowY: 'auto' }}>
          {more.map(({ to, word, icon: Icon }) => (
            <Menu.Item key={to} leftSection={<Icon aria-hidden />} onClick={() => void navigate({ to, params })}>
              {word}
            </Menu.Item>
          ))}
          <Menu.Item leftSection={<IconSearch aria-hidden />} onClick={openPalette}>
            Search or jump to
          </Menu.Item>
          <Menu.Divider />
          <WorkspaceItems />
          <Menu.Divider />
          <OwnItems />
        </Menu.Dropdown>
      </Menu>
    </nav>
  )
}
