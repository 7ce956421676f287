import { Menu, UnstyledButton } from '@mantine/core'
import { IconDots, IconSearch } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useWorkspace } from '../api/workspace.tsx'
import { openPalette } from './SearchButton.tsx'
import { UserMenuItems } from './UserMenu.tsx'
import { WorkspaceItems } from './WorkspaceMenu.tsx'
import { isTab, itemsFor, NAV_ITEMS } from './navigation.ts'
import classes from './TabBar.module.css'

/** The navigation at the bottom of the screen on a phone. */
export function TabBar() {
  const { workspace } = useWorkspace()
  const navigate = useNavigate()
  const params = { workspaceId: workspace.id }
  const more = itemsFor(workspace.role).filter((item) => !isTab(item))
  return (
    <nav aria-label="Workspace" className={`phone ${classes.bar}`}>
      {NAV_ITEMS.filter(isTab).map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          params={params}
          activeOptions={{ exact: to === '/w/$workspaceId', includeSearch: false }}
          className={classes.tab}
        >
          <Icon aria-hidden />
          {label}
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
          {more.map(({ to, label, icon: Icon }) => (
            <Menu.Item key={to} leftSection={<Icon aria-hidden />} onClick={() => void navigate({ to, params })}>
              {label}
            </Menu.Item>
          ))}
          <Menu.Item leftSection={<IconSearch aria-hidden />} onClick={openPalette}>
            Search or jump to
          </Menu.Item>
          <Menu.Divider />
          <WorkspaceItems />
          <Menu.Divider />
          <UserMenuItems />
        </Menu.Dropdown>
      </Menu>
    </nav>
  )
}
