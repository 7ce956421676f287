import { type ComboboxItem, SegmentedControl } from '@mantine/core'
import { useDebouncedValue, useElementSize } from '@mantine/hooks'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useRead } from '../../api/workspace.tsx'
import { ContactSelect } from '../../parts/ContactSelect.tsx'
import { count } from '../../parts/numbers.ts'
import { Problem } from '../../parts/Problem.tsx'
import { onScreen, safeHtml } from '../../parts/safe-html.ts'
import { sameText } from '../../parts/same-text.ts'
import { SendToMe } from '../../parts/SendToMe.tsx'
import classes from './template.module.css'

const PAUSE_MS = 500

type Preview = Schemas['TemplatePreview']
export type Content = Omit<Schemas['TemplateContent'], 'name'>

const LOOKS = [
  { value: 'wide', label: 'Wide' },
  { value: 'narrow', label: 'Narrow' },
  { value: 'dark', label: 'Dark' },
  { value: 'text', label: 'Text' },
] as const
type Look = (typeof LOOKS)[number]['value']

const HEIGHT = 640
const WIDTHS = { wide: 680, narrow: 375, dark: 680 } as const

/** What is rendered already, as a template that comes to the same: what looks like Liquid in it is none. */
const raw = (rendered: string): string => rendered.replace(/\{[{%]/g, (mark) => `{{ "${mark}" }}`)

/** An email as a contact would get it, as one types: wide, narrow, dark, or as text. */
export function TemplatePreview({ content }: { content: Content }) {
  const [shown] = useDebouncedValue(content, PAUSE_MS)
  const [contact, setContact] = useState<ComboboxItem | null>(null)
  const [look, setLook] = useState<Look>('wide')
  const contactId = contact?.value ?? null
  const { data, error, isPlaceholderData } = useRead(
    ['template-preview', shown, contactId],
    async (api, signal) => {
      const body = { ...shown, ...(contactId !== null && { contactId }) }
      return (await api.POST('/templates/preview', { body, signal })).data.data
    },
    { keep: true },
  )
  const isBehind = isPlaceholderData || sameText(shown) !== sameText(content)
  return (
    <section aria-label="Preview">
      <ContactSelect label="As it comes to" value={contact} onChange={setContact} />
      <SegmentedControl
        aria-label="How it is looked at"
        data={[...LOOKS]}
        value={look}
        onChange={(value) => setLook(value)}
        fullWidth
        mb={8}
      />
      {error && <Problem error={error} />}
      {data && (
        <>
          <Shown preview={data} look={look} />
          <Facts preview={data} />
          {data.subject !== null && (
            <SendToMe
              isReady={!isBehind}
              email={{
                subject: raw(data.subject),
                html: data.html === null ? null : raw(data.html),
                text: data.text === null ? null : raw(data.text),
              }}
            >
              Send it to me
            </SendToMe>
          )}
        </>
      )}
    </section>
  )
}

function Shown({ preview: { to, subject, html, text, problems }, look }: { preview: Preview; look: Look }) {
  const screen = look === 'dark' ? 'dark' : 'light'
  const { ref: room, width } = useElementSize()
  const scale = look === 'text' || width === 0 ? 1 : Math.min(1, width / WIDTHS[look])
  return (
    <div className={classes.paper}>
      <div className={classes.envelope}>
        <p className="strong">{subject ?? '…'}</p>
        <p className="small t3">to {to}</p>
      </div>
      {problems.map(({ field, line, column, problem }) => (
        <p
          key={`${field} ${line} ${problem}`}
          className="small"
          role="alert"
          style={{ color: 'var(--bad)', padding: '8px 12px' }}
        >
          {field === 'design' ? '' : `${field}: `}
          {problem}
          {line !== null && !problem.includes('line:') && ` (line ${line}, column ${column ?? 1})`}
        </p>
      ))}
      {look === 'text' || html === null ? (
        text !== null && <pre className={classes.plain}>{text}</pre>
      ) : (
        // As wide as it is read, and as small as it has to be here. Nothing in it runs, and nothing is fetched: neither is allowed to this page at all.
        <div ref={room} className={classes.room} style={{ height: HEIGHT * scale }}>
          <iframe
            className={classes.frame}
            title="The email"
            sandbox=""
            srcDoc={safeHtml(onScreen(html, screen))}
            style={{ width: WIDTHS[look], height: HEIGHT, colorScheme: screen, transform: `scale(${scale})` }}
          />
        </div>
      )}
    </div>
  )
}

function Facts({ preview: { bytes, links, warnings, unknownVariables } }: { preview: Preview }) {
  return (
    <div style={{ marginTop: 8 }}>
      <p className="small t2">
        {count(Math.ceil(bytes / 1024))} KB of HTML, {count(links.length)} {links.length === 1 ? 'link' : 'links'}.
        Images are not fetched here.
      </p>
      {warnings.map(({ code, message }) => (
        <p key={code} className="small" style={{ color: 'var(--warn)' }}>
          {message}
        </p>
      ))}
      {unknownVariables.map(({ field, variable, nearest }) => (
        <p key={`${field} ${variable}`} className="small" style={{ color: 'var(--warn)' }}>
          <span className="code">{variable}</span> is empty in every email
          {nearest !== null && (
            <>
              ; is <span className="code">{nearest}</span> meant?
            </>
          )}
        </p>
      ))}
    </div>
  )
}
