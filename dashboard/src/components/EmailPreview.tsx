import { type ComboboxItem, SegmentedControl } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useState } from 'react'
import type { Api, Schemas } from '../api/client.ts'
import { useWorkspaceQuery } from '../api/workspace.tsx'
import { ContactSelect } from './ContactSelect.tsx'
import classes from './EmailPreview.module.css'
import { count } from '../lib/format.ts'
import { ErrorBanner } from './ErrorBanner.tsx'
import { forColorScheme, safeHtml } from '../lib/safe-html.ts'
import { SendTestButton } from './SendTestButton.tsx'

type Preview = Schemas['TemplatePreview']
/** For whom: whoever is told, or nobody in particular. */
export type PreviewRecipient = { contactId?: string }

const PREVIEW_MODES = [
  { value: 'wide', label: 'Wide' },
  { value: 'narrow', label: 'Narrow' },
  { value: 'dark', label: 'Dark' },
  { value: 'text', label: 'Text' },
] as const
type PreviewMode = (typeof PREVIEW_MODES)[number]['value']

const HEIGHT = 640
const BACKGROUNDS = { light: 'var(--paper)', dark: 'var(--paper-dark)' } as const
const WIDTHS = { wide: 680, narrow: 375, dark: 680 } as const

/** What is rendered already, as a template that comes to the same: what looks like Liquid in it is none. */
const escapeLiquid = (rendered: string): string => rendered.replace(/\{[{%]/g, (mark) => `{{ "${mark}" }}`)

/**
 * An email as a contact would get it: wide, narrow, dark, or as text.
 * @param of what is previewed, told apart from anything else
 * @param isCurrent whether that is what is there by now
 */
export function EmailPreview({
  of,
  isCurrent = true,
  isPart = false,
  preview,
}: {
  of: unknown
  isCurrent?: boolean
  /** Whether it is a part of emails, of which nothing is asked that only they have. */
  isPart?: boolean
  preview: (api: Api, forWhom: PreviewRecipient, signal: AbortSignal) => Promise<Preview>
}) {
  const [contact, setContact] = useState<ComboboxItem | null>(null)
  const [look, setLook] = useState<PreviewMode>('wide')
  const contactId = contact?.value ?? null
  const { data, error, isPlaceholderData } = useWorkspaceQuery(
    ['template-preview', of, contactId],
    (api, signal) => preview(api, contactId === null ? {} : { contactId }, signal),
    { keepPrevious: true },
  )
  const isBehind = isPlaceholderData || !isCurrent
  return (
    <section aria-label="Preview">
      <ContactSelect label="As it comes to" value={contact} onChange={setContact} />
      <SegmentedControl
        aria-label="How it is looked at"
        data={[...PREVIEW_MODES]}
        value={look}
        onChange={(value) => setLook(value)}
        fullWidth
        mb={8}
      />
      {error && <ErrorBanner error={error} />}
      {data && (
        <>
          <PreviewBody preview={data} look={look} />
          {!isPart && <PreviewDetails preview={data} />}
          {!isPart && data.subject !== null && (
            <SendTestButton
              isReady={!isBehind}
              email={{
                subject: escapeLiquid(data.subject),
                html: data.html === null ? null : escapeLiquid(data.html),
                text: data.text === null ? null : escapeLiquid(data.text),
              }}
            >
              Send it to me
            </SendTestButton>
          )}
        </>
      )}
    </section>
  )
}

function PreviewBody({
  preview: { to, subject, html, text, problems },
  look,
}: {
  preview: Preview
  look: PreviewMode
}) {
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
            srcDoc={safeHtml(forColorScheme(html, screen))}
            style={{
              width: WIDTHS[look],
              height: HEIGHT,
              colorScheme: screen,
              // What an email leaves as it is shows the mail program's, and not this page's.
              background: BACKGROUNDS[screen],
              transform: `scale(${scale})`,
            }}
          />
        </div>
      )}
    </div>
  )
}

function PreviewDetails({ preview: { bytes, links, warnings, unknownVariables } }: { preview: Preview }) {
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
      {/* Once, though it is in the HTML and in the text that is made of it. */}
      {[...new Map(unknownVariables.map((each) => [each.variable, each])).values()].map(({ variable, nearest }) => (
        <p key={variable} className="small" style={{ color: 'var(--warn)' }}>
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
