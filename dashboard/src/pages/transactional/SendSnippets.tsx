import { Button, SegmentedControl } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import { Section } from '../../layout/Page.tsx'
import { toCurl } from '../../lib/curl.ts'
import classes from './transactional.module.css'

const EMAIL = { to: 'ada@example.com', subject: 'Your receipt', text: 'Thank you for your order.' }

const SNIPPETS = {
  curl: { label: 'curl', text: () => toCurl({ method: 'POST', path: '/emails', body: EMAIL }) },
  ts: {
    label: 'TypeScript',
    text: () => `import { createDriplineClient } from '@dripline/client'

const dripline = createDriplineClient({
  baseUrl: '${location.origin}/api/v1',
  apiKey: process.env.DRIPLINE_API_KEY ?? '',
})
await dripline.emails.send({
  to: '${EMAIL.to}',
  subject: '${EMAIL.subject}',
  text: '${EMAIL.text}',
})`,
  },
  smtp: {
    label: 'SMTP',
    text: () => `Host      ${location.hostname}
Port      the SMTP_SUBMISSION_PORT of the instance
User      anything
Password  an API key`,
  },
} as const
type Way = keyof typeof SNIPPETS

/** Shows how an application sends an email, filled in with the address of the instance. */
export function SendSnippets() {
  const [way, setWay] = useState<Way>('curl')
  const { copy, copied } = useClipboard({ timeout: 3_000 })
  const text = SNIPPETS[way].text()
  return (
    <Section
      title="Send from your app"
      action={
        <SegmentedControl
          aria-label="Way to send"
          data={Object.entries(SNIPPETS).map(([value, { label }]) => ({ value: value as Way, label }))}
          value={way}
          onChange={setWay}
        />
      }
    >
      <pre className={`mono ${classes.snippet}`} tabIndex={0} aria-label="Example">
        {text}
      </pre>
      <div className="row">
        <span className="small t3">
          The key needs the scope <span className="code">emails:send</span>.
        </span>
        <Button
          className="push"
          variant="subtle"
          color="gray"
          leftSection={copied ? <IconCheck aria-hidden /> : <IconCopy aria-hidden />}
          onClick={() => copy(text)}
          aria-live="polite"
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </div>
    </Section>
  )
}
