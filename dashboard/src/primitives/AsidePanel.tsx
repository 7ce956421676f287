import { ActionIcon } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useReturnFocus } from '../lib/use-return-focus.ts'

/**
 * Details of a row beside its list. It takes the focus when it opens, because it is below the list on a narrow screen, and gives it
 * back when it closes. Escape closes it.
 */
export function AsidePanel({
  label,
  title,
  onClose,
  children,
}: {
  label: string
  title: ReactNode
  onClose: () => void
  children: ReactNode
}) {
  useReturnFocus()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section
      aria-label={label}
      onKeyDown={({ key, defaultPrevented, currentTarget, target }) => {
        // Escape in an open menu or list of options closes only that. A menu is a child of the panel in React, not on the page.
        const isInside = target instanceof Element && currentTarget.contains(target)
        if (key === 'Escape' && !defaultPrevented && isInside && !target.closest('[aria-expanded=true]')) onClose()
      }}
    >
      <div className="row" style={{ marginBottom: 16 }}>
        <h2 ref={heading} tabIndex={-1} className="cut" style={{ outline: 'none' }}>
          {title}
        </h2>
        <ActionIcon className="push" variant="subtle" color="gray" aria-label="Close" onClick={onClose}>
          <IconX aria-hidden />
        </ActionIcon>
      </div>
      {children}
    </section>
  )
}
