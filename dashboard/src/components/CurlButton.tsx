import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconTerminal2 } from '@tabler/icons-react'
import { toCurl, type ApiCall } from '../lib/curl.ts'

/** Beside an action, the same as a request. @param call as it would be made now */
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
