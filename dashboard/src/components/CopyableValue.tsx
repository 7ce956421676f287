import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import classes from './CopyableValue.module.css'

/** A value with a copy button. */
export function CopyableValue({ label, text }: { label: string; text: string }) {
  const { copy, copied } = useClipboard({ timeout: 3_000 })
  return (
    <>
      <dt>{label}</dt>
      <dd className={`mono ${classes.value}`}>
        <span>{text}</span>
        <Button
          variant="subtle"
          color="gray"
          aria-label={`Copy the ${label.toLowerCase()} ${text}`}
          leftSection={copied ? <IconCheck aria-hidden /> : <IconCopy aria-hidden />}
          onClick={() => copy(text)}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </dd>
    </>
  )
}
