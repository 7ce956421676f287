import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'

/** Shows the secret of a webhook. */
export function SecretCard({ secret, title, onDone }: { secret: string; title: string; onDone: () => void }) {
  const { copy, copied, error } = useClipboard({ timeout: 3_000 })
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      <p className="t2">
        Your server verifies requests with this secret. Later, owners can show it again.{' '}
        <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">
          Libraries
        </a>
      </p>
      <div className="row">
        <output className="mono strong" data-testid="secret" style={{ overflowWrap: 'anywhere' }}>
          {secret}
        </output>
        <Button
          variant="filled"
          leftSection={copied ? <IconCheck aria-hidden /> : <IconCopy aria-hidden />}
          onClick={() => copy(secret)}
          aria-live="polite"
        >
          {copied ? 'Copied' : error ? 'Couldn’t copy: select the secret' : 'Copy'}
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone}>
          Done
        </Button>
      </div>
    </section>
  )
}
