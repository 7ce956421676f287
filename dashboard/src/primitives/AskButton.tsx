import { Button, type ButtonProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ComponentProps } from 'react'
import { ConfirmAction } from '../components/ConfirmAction.tsx'

/**
 * A button that is replaced by a confirmation before it acts.
 *
 * @param label ends with an ellipsis
 * @param name for screen readers, if several buttons have this label
 * @param button more props of the button
 */
export function AskButton({
  label,
  name,
  button,
  ...asks
}: Omit<ComponentProps<typeof ConfirmAction>, 'onDone'> & { label: string; name?: string; button?: ButtonProps }) {
  const [isAsking, { open, close }] = useDisclosure()
  return (
    <>
      {/* Hidden, not removed: the focus returns to it. */}
      <Button
        variant="subtle"
        color="gray"
        aria-label={name}
        {...button}
        display={isAsking ? 'none' : undefined}
        onClick={open}
      >
        {label}
      </Button>
      {isAsking && <ConfirmAction {...asks} onDone={close} />}
    </>
  )
}
