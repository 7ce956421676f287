import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { useIsPhone } from '../../lib/use-is-phone.ts'
import classes from './Builder.module.css'

/** Shows the details of the selection: next to the canvas, or in a bottom sheet on a phone. */
export function SidePanel({
  isOpen,
  onClose,
  children,
}: {
  isOpen: boolean
  onClose: () => void
  children: ReactNode
}) {
  const isPhone = useIsPhone()
  if (!isPhone) return <aside className={classes.aside}>{children}</aside>
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="bottom"
      size="80%"
      title="Step"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Drawer>
  )
}
