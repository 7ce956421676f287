import { ActionIcon, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import type { Schemas } from '../../api/client.ts'
import type { AutomationAction } from './ConfirmPanel.tsx'

/** The actions on the whole automation. Each asks for confirmation. */
export const AutomationMenu = ({
  status,
  canDiscard,
  onChoose,
}: {
  status: Schemas['Automation']['status']
  canDiscard: boolean
  onChoose: (action: AutomationAction) => void
}) => (
  <Menu>
    <Menu.Target>
      <ActionIcon aria-label="More actions">
        <IconDots aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {status === 'ACTIVE' && <Menu.Item onClick={() => onChoose('pause')}>Pause…</Menu.Item>}
      {status !== 'ARCHIVED' && <Menu.Item onClick={() => onChoose('archive')}>Archive…</Menu.Item>}
      {canDiscard && <Menu.Item onClick={() => onChoose('discard')}>Discard draft…</Menu.Item>}
      <Menu.Divider />
      <Menu.Item color="bad" onClick={() => onChoose('delete')}>
        Delete…
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
)
