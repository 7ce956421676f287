import { UnstyledButton } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import classes from './Rail.module.css'

const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent)

/** Opens the palette, which comes when somebody asks for it. */
export const Find = () => (
  <UnstyledButton
    className={classes.find}
    onClick={() => void import('@mantine/spotlight').then(({ spotlight }) => spotlight.open())}
  >
    <IconSearch aria-hidden />
    <span>Search or jump to</span>
    <kbd className={classes.kbd}>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
  </UnstyledButton>
)
