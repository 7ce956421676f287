import { Button, Modal } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { useReturnFocus } from '../lib/use-return-focus.ts'

/** Warns a user who leaves a page with unsaved changes. */
export function UnsavedDialog({
  title = 'Unsaved changes',
  leave = 'Discard changes',
  children,
  onStay,
  onLeave,
}: {
  title?: string
  leave?: string
  children: ReactNode
  onStay: () => void
  onLeave: () => void
}) {
  useReturnFocus()
  return (
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
}

/**
 * Asks for confirmation when the user leaves a form that is not saved.
 * @param isSending whether the form is being saved
 * @param closesWith the search parameter whose change closes the form, if any
 * @param onDiscard called when the user leaves without the changes
 * @param asks texts to use instead of the defaults
 */
export function UnsavedChangesGuard({
  isDirty,
  isSending,
  closesWith,
  onDiscard,
  asks,
}: {
  isDirty: boolean
  isSending: boolean
  closesWith?: string | undefined
  onDiscard?: () => void
  asks?: { title: string; leave: string; message: string }
}) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty &&
      (current.pathname !== next.pathname ||
        (closesWith !== undefined && valueOf(current.search, closesWith) !== valueOf(next.search, closesWith))),
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  // If the form closes while the dialog is open, cancel the navigation: the result is on this page.
  const unasked = useRef<() => void>(undefined)
  useEffect(() => {
    unasked.current = status === 'blocked' ? reset : undefined
  })
  useEffect(() => () => unasked.current?.(), [])
  if (status !== 'blocked') return null
  return (
    <UnsavedDialog
      {...(isSending && { title: 'Still saving', leave: 'Leave' })}
      {...(asks && { title: asks.title, leave: asks.leave })}
      onStay={reset}
      onLeave={() => {
        if (!isSending) onDiscard?.()
        proceed()
      }}
    >
      <p className="t2">
        {asks?.message ??
          (isSending ? 'If you leave now, you won’t see whether it worked.' : 'Your changes haven’t been saved.')}
      </p>
    </UnsavedDialog>
  )
}

const valueOf = (search: object, name: string): unknown => (search as Record<string, unknown>)[name]
