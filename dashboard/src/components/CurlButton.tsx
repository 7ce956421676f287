import { Button, Menu } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconTerminal2 } from '@tabler/icons-react'
import { toCurl, type ApiCall } from '../lib/curl.ts'

/** Copies the API request of an action as a curl command. */
export function CurlButton({ call }: { call: ApiCall }) {
  const { copy, copied } = useClipboard({ timeout: 3_000 })
  return (
    <Button
      variant="subtle"
      color="gray"
      className="push"
      leftSection={copied ? <IconCheck aria-hidden /> : <IconTerminal2 aria-hidden />}
      onClick={() => copy(toCurl(call))}
      aria-live="polite"
    >
      {copied ? 'Copied' : 'Copy as curl'}
    </Button>
  )
}

/** The same as an item of the menu of a page. */
export function CurlMenuItem({ call }: { call: ApiCall }) {
  const { copy, copied } = useClipboard({ timeout: 3_000 })
  return (
    <Menu.Item
      closeMenuOnClick={false}
      leftSection={copied ? <IconCheck aria-hidden /> : <IconTerminal2 aria-hidden />}
      onClick={() => copy(toCurl(call))}
    >
      {copied ? 'Copied' : 'Copy as curl'}
    </Menu.Item>
  )
}
