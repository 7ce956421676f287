import { UnstyledButton } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import classes from './Rail.module.css'

const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent)

/** Loads the palette on demand. */
export const openPalette = () => void import('@mantine/spotlight').then(({ spotlight }) => spotlight.open())

export const SearchButton = () => (
  <UnstyledButton className={classes.search} onClick={openPalette}>
    <IconSearch aria-hidden />
    <span>Search or jump to</span>
    <kbd className={classes.kbd}>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
  </UnstyledButton>
)
