import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { UnsavedChangesGuard } from './UnsavedChanges.tsx'

/**
 * A value that is never shown again, with a copy button. Warns a user who leaves the page before the value was copied.
 *
 * @param name such as "API key"
 * @param children the value as it is shown, if it differs from the text
 */
export function ShownOnce({
  name,
  text,
  className,
  outputClassName = 'mono',
  children = text,
}: {
  name: string
  text: string
  className: string | undefined
  outputClassName?: string
  children?: ReactNode
}) {
  const { copy, copied, error } = useClipboard({ timeout: 3_000 })
  const [isKnown, setIsKnown] = useState(false)
  useEffect(() => setIsKnown((was) => was || copied), [copied])
  return (
    <div className={className}>
      <UnsavedChangesGuard
        isDirty={!isKnown}
        isSending={false}
        asks={{
          title: `Leave without the ${name}?`,
          leave: 'Leave',
          message: `You haven’t copied the ${name}, and it won’t be shown again.`,
        }}
      />
      <output className={outputClassName} data-testid="shown-once" onCopy={() => setIsKnown(true)}>
        {children}
      </output>
      <Button
        variant="filled"
        leftSection={copied ? <IconCheck aria-hidden /> : <IconCopy aria-hidden />}
        onClick={() => copy(text)}
        aria-live="polite"
      >
        {copied ? 'Copied' : error ? `Couldn’t copy: select the ${name}` : 'Copy'}
      </Button>
    </div>
  )
}
