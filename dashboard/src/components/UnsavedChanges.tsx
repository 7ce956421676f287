import { Button, Modal } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'

/** Says that something is not saved, to whoever is about to leave it. */
export const UnsavedDialog = ({
  title = 'This is not saved',
  leave = 'Leave without it',
  children,
  onStay,
  onLeave,
}: {
  title?: string
  leave?: string
  children: ReactNode
  onStay: () => void
  onLeave: () => void
}) => (
  <Modal opened onClose={onStay} title={title} centered>
    {children}
    <div className="row" style={{ marginTop: 16 }}>
      <Button variant="filled" onClick={onStay} data-autofocus>
        Stay
      </Button>
      <Button variant="subtle" color="gray" onClick={onLeave}>
        {leave}
      </Button>
    </div>
  </Modal>
)

/**
 * Asks whoever goes to another page, or closes this one, before a form is saved.
 * @param isSending whether it is on its way, and not answered yet
 * @param asks what is asked instead, where it is no form
 */
export function UnsavedChangesGuard({
  isDirty,
  isSending,
  asks,
}: {
  isDirty: boolean
  isSending: boolean
  asks?: { title: string; leave: string; says: string }
}) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  // Whoever was asked, and has not answered before the form was done with, stays: what came of it is on this page.
  const unasked = useRef<() => void>(undefined)
  useEffect(() => {
    unasked.current = status === 'blocked' ? reset : undefined
  })
  useEffect(() => () => unasked.current?.(), [])
  if (status !== 'blocked') return null
  return (
    <UnsavedDialog {...(asks && { title: asks.title, leave: asks.leave })} onStay={reset} onLeave={proceed}>
      <p className="t2">
        {asks?.says ??
          (isSending
            ? 'It is being sent. Whoever leaves now does not see what comes of it.'
            : 'What you typed is in this page only.')}
      </p>
    </UnsavedDialog>
  )
}
