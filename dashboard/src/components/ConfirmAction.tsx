import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { useReturnFocus } from '../lib/use-return-focus.ts'
import { CurlButton } from './CurlButton.tsx'
import { ErrorBanner } from './ErrorBanner.tsx'

/** Milliseconds to wait before taking the focus: a menu that closes returns it to its button after 10. */
const FOCUS_MS = 30

/**
 * Asks for confirmation and states the consequences. Has the focus while it is open, on the button without consequences, and gives
 * it back (alert dialog of the WAI-ARIA practices, not modal). Escape cancels.
 *
 * @param confirmLabel a verb and its object
 */
export function ConfirmAction({
  confirmLabel,
  path,
  description,
  color = 'bad',
  action,
  onDone,
}: {
  confirmLabel: string
  /** The API path of the same action, shown as a curl command. */
  path?: string
  description: ReactNode
  /** The color of the button, if the action ends nothing. */
  color?: 'accent' | 'bad'
  action: () => Promise<unknown>
  onDone: () => void
}) {
  useReturnFocus()
  const id = useId()
  const cancel = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const timer = setTimeout(() => cancel.current?.focus(), FOCUS_MS)
    return () => clearTimeout(timer)
  }, [])
  // Also called if the action removes what this is part of, unlike a callback of `mutate`.
  const end = useMutation({ mutationFn: action, onSuccess: onDone })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || end.isPending) return
    event.stopPropagation()
    onDone()
  }
  return (
    <div
      role="alertdialog"
      aria-label={confirmLabel}
      aria-describedby={id}
      onKeyDown={onKeyDown}
      className="row"
      style={{ flexWrap: 'wrap', justifyContent: 'flex-end', padding: '8px 0' }}
    >
      <span id={id} className="small t2">
        {description}
      </span>
      {end.isError && <ErrorBanner error={end.error} scrollsIntoView />}
      <Button variant="filled" color={color} loading={end.isPending} onClick={() => end.mutate()}>
        {confirmLabel}
      </Button>
      <Button variant="subtle" color="gray" onClick={onDone} disabled={end.isPending} ref={cancel}>
        Cancel
      </Button>
      {path !== undefined && <CurlButton call={{ method: 'DELETE', path }} />}
    </div>
  )
}
