import { Menu, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconSelector } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useSession, type Workspace } from '../api/session.ts'
import { useWorkspace } from '../api/workspace.tsx'
import classes from './Rail.module.css'

const modeOf = ({ mode }: Workspace): string => (mode === 'test' ? 'Test' : 'Live')

const Tile = ({ of }: { of: Workspace }) => (
  <span className={classes.tile} data-mode={of.mode} aria-hidden>
    {[...of.name.trim()][0]?.toUpperCase()}
  </span>
)

/** Menu items that switch to another workspace of the user. */
export function WorkspaceItems() {
  const { workspace } = useWorkspace()
  const { data } = useSession()
  const navigate = useNavigate()
  return data?.workspaces.map((each) => (
    <Menu.Item
      key={each.id}
      leftSection={<Tile of={each} />}
      rightSection={each.id === workspace.id ? <IconCheck aria-label="Current workspace" /> : undefined}
      onClick={() => void navigate({ to: '/w/$workspaceId', params: { workspaceId: each.id } })}
    >
      {each.name} <span className={classes.mode}>{modeOf(each)}</span>
    </Menu.Item>
  ))
}

/** The current workspace, with a menu of the others. */
export function WorkspaceMenu() {
  const { workspace } = useWorkspace()
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <UnstyledButton className={`${classes.workspace} ${workspace.mode === 'test' ? classes.test : ''}`}>
          <VisuallyHidden>Workspace: </VisuallyHidden>
          <Tile of={workspace} />
          <span className="cut">{workspace.name}</span>
          <span className={classes.mode}>{modeOf(workspace)}</span>
          <IconSelector aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <WorkspaceItems />
      </Menu.Dropdown>
    </Menu>
  )
}
