import { SegmentedControl } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useState } from 'react'
import { useSender } from '../../api/queries.ts'
import { EmailFrame } from '../../components/EmailPreview.tsx'
import { type Item, type Rendered, renderedOf } from './items.ts'
import classes from './rehearsal.module.css'

const FORMATS = [
  { value: 'html', label: 'HTML' },
  { value: 'text', label: 'Text' },
] as const

/** The height of the email in pixels, so that the checks below stay near. */
const HEIGHT = 480

/** The narrowest space for the email as on a desktop. */
const MIN_WIDE = 520

/** The selected email, or the last one before the selected entry, as the contact would get it. */
export function WhatIsRead({
  items,
  at,
  rendered,
  to,
}: {
  items: readonly Item[]
  at: number
  rendered: readonly Rendered[]
  to: string
}) {
  const [format, setFormat] = useState<(typeof FORMATS)[number]['value']>('html')
  const messages = items.filter(({ isMessage }) => isMessage)
  const read = items.slice(0, at + 1).findLast(({ isMessage }) => isMessage)
  const email = read && renderedOf(read.entry, rendered)
  return (
    <section aria-label="What is read" className={classes.read}>
      <div className={classes.head}>
        <h2>What is read</h2>
        {read && (
          <span className="t3">
            message {messages.indexOf(read) + 1} of {messages.length}
          </span>
        )}
        <SegmentedControl
          className="push"
          size="xs"
          aria-label="Format"
          data={[...FORMATS]}
          value={format}
          onChange={setFormat}
        />
      </div>
      {email ? <Email email={email} to={to} isText={format === 'text'} /> : <NoEmail item={read} />}
    </section>
  )
}

/** @param item the email, if it is not rendered */
const NoEmail = ({ item }: { item: Item | undefined }) => (
  <p className="t2">{item ? 'Only the first 50 emails can be read here.' : 'No email up to this time.'}</p>
)

function Email({ email, to, isText }: { email: Rendered; to: string; isText: boolean }) {
  const { data: sender } = useSender()
  const { ref, width } = useElementSize()
  const { subject, html, text, problem } = email
  return (
    <div ref={ref} className={classes.paper}>
      <div className={classes.envelope}>
        <p className="strong">{subject ?? '…'}</p>
        <p className="small t3 cut">
          {sender?.fromAddress != null && `${sender.fromName ?? ''} <${sender.fromAddress}> `}to {to}
        </p>
      </div>
      {problem !== null && (
        <p className={`small ${classes.problem}`} role="alert">
          {problem}
        </p>
      )}
      {html !== null && !isText ? (
        <EmailFrame html={html} look={width < MIN_WIDE ? 'narrow' : 'wide'} height={HEIGHT} />
      ) : (
        text !== null && <pre className={classes.plain}>{text}</pre>
      )}
    </div>
  )
}
