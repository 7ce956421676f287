import { Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { useReturnFocus } from '../../lib/use-return-focus.ts'

/** A menu next to a place of the page, such as a button or the pointer. */
export function AnchoredMenu({
  anchor: { left, top, width, height },
  label,
  onClose,
  children,
}: {
  anchor: DOMRect
  label: string
  onClose: () => void
  children: ReactNode
}) {
  useReturnFocus()
  return (
    // Without key presses, because the one that opens it would also close it.
    <Menu
      opened
      onClose={onClose}
      clickOutsideEvents={['mousedown', 'touchstart']}
      position="right-start"
      // The first item has the focus.
      withInitialFocusPlaceholder={false}
      hideDetached={false}
    >
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          aria-label={label}
          style={{ position: 'fixed', left, top, width, height, opacity: 0, pointerEvents: 'none' }}
        />
      </Menu.Target>
      <Menu.Dropdown aria-label={label}>{children}</Menu.Dropdown>
    </Menu>
  )
}
