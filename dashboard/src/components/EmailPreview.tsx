import { type ComboboxItem, SegmentedControl } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import type { Api, Schemas } from '../api/client.ts'
import { useWorkspaceQuery } from '../api/workspace.tsx'
import { ContactSelect } from './ContactSelect.tsx'
import classes from './EmailPreview.module.css'
import { count, plural } from '../lib/format.ts'
import { ErrorBanner } from './ErrorBanner.tsx'
import { explainProblem } from '../lib/liquid-problem.ts'
import { forColorScheme, safeHtml } from '../lib/safe-html.ts'
import { imagesIn, useWebImages } from './media/web-images.ts'
import { type Category, SendTestButton } from './SendTestButton.tsx'

type Preview = Schemas['TemplatePreview']
/** The contact to render for, or none for sample data. A marketing email is shown with its footer. */
export type PreviewRecipient = { contactId?: string; category: Category }

export const PREVIEW_MODES = [
  { value: 'wide', label: 'Desktop' },
  { value: 'narrow', label: 'Mobile' },
  { value: 'dark', label: 'Dark' },
  { value: 'text', label: 'Plain text' },
] as const
export type PreviewMode = (typeof PREVIEW_MODES)[number]['value']

const HEIGHT = 640
const BACKGROUNDS = { light: 'var(--paper)', dark: 'var(--paper-dark)' } as const
const WIDTHS = { wide: 680, narrow: 375, dark: 680 } as const

/** Escapes Liquid in rendered content, so that rendering it again returns the same. */
const escapeLiquid = (rendered: string): string => rendered.replace(/\{[{%]/g, (mark) => `{{ "${mark}" }}`)

/** Renders an email for a contact, or for a sample contact. @param of identifies the content */
export const usePreview = (
  of: unknown,
  { contactId, category }: { contactId: string | null; category: Category },
  preview: (api: Api, forWhom: PreviewRecipient, signal: AbortSignal) => Promise<Preview>,
) =>
  useWorkspaceQuery(
    ['template-preview', of, contactId, category],
    (api, signal) => preview(api, { category, ...(contactId !== null && { contactId }) }, signal),
    { keepPrevious: true },
  )

/**
 * Previews an email as a contact would receive it: desktop, mobile, dark mode or plain text.
 * @param of identifies the content
 * @param isCurrent whether `of` is the latest content
 */
export function EmailPreview({
  of,
  category,
  isCurrent = true,
  onTestSent,
  preview,
}: {
  of: unknown
  category: Category
  isCurrent?: boolean
  onTestSent?: () => void
  preview: (api: Api, forWhom: PreviewRecipient, signal: AbortSignal) => Promise<Preview>
}) {
  const [contact, setContact] = useState<ComboboxItem | null>(null)
  const [look, setLook] = useState<PreviewMode>('wide')
  const contactId = contact?.value ?? null
  const { data, error, isPlaceholderData } = usePreview(of, { contactId, category }, preview)
  const isBehind = isPlaceholderData || !isCurrent
  return (
    <section aria-label="Preview" style={{ display: 'grid', gap: 8 }}>
      <ContactSelect label="Preview as" value={contact} onChange={setContact} />
      <SegmentedControl
        aria-label="Preview mode"
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
          <PreviewDetails preview={data} />
          <SendPreviewButton preview={data} isReady={!isBehind} onSent={onTestSent} />
        </>
      )}
    </section>
  )
}

/** Sends a preview to the signed-in user, exactly as it was rendered. An email without a subject cannot be sent. */
export function SendPreviewButton({
  preview: { subject, html, text },
  isReady,
  onSent,
}: {
  preview: Preview
  /** Whether the preview is up to date. */
  isReady: boolean
  onSent: (() => void) | undefined
}) {
  if (subject === null) return null
  const email = {
    subject: escapeLiquid(subject),
    html: html === null ? null : escapeLiquid(html),
    text: text === null ? null : escapeLiquid(text),
  }
  return (
    <SendTestButton isReady={isReady} email={email} {...(onSent && { onSent })}>
      Send test email
    </SendTestButton>
  )
}

/** Shows a rendered email on a kind of screen. */
export function PreviewBody({
  preview: { to, subject, html, text, problems },
  look,
}: {
  preview: Preview
  look: PreviewMode
}) {
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
          {explainProblem(problem)}
          {line !== null && !problem.includes('line:') && ` (line ${line}, column ${column ?? 1})`}
        </p>
      ))}
      {look === 'text' || html === null ? (
        text !== null && <pre className={classes.plain}>{text}</pre>
      ) : (
        <EmailFrame html={html} look={look} />
      )}
    </div>
  )
}

/**
 * Shows the HTML of an email on a kind of screen. It is rendered at the real width and scaled to fit. The sandbox and the page's CSP block
 * scripts and requests.
 */
export function EmailFrame({
  html,
  look,
  title = 'Email',
  width = WIDTHS[look],
  height = HEIGHT,
  isDecorative = false,
}: {
  html: string
  look: Exclude<PreviewMode, 'text'>
  title?: string
  width?: number
  height?: number
  /** Whether it is a picture only, hidden from screen readers and the keyboard. It loads when it comes into view. */
  isDecorative?: boolean
}) {
  const screen = look === 'dark' ? 'dark' : 'light'
  const images = useWebImages(imagesIn(html))
  const shown = useMemo(() => safeHtml(forColorScheme(html, screen), images), [html, screen, images])
  const { ref: room, width: available } = useElementSize()
  const scale = available === 0 ? 1 : Math.min(1, available / width)
  return (
    <div ref={room} className={classes.room} style={{ height: height * scale }}>
      <iframe
        className={classes.frame}
        title={title}
        sandbox=""
        srcDoc={shown}
        {...(isDecorative && { 'aria-hidden': true, tabIndex: -1, loading: 'lazy' })}
        style={{
          width,
          height,
          colorScheme: screen,
          // Where the email sets no background, the mail client's shows, not this page's.
          background: BACKGROUNDS[screen],
          transform: `scale(${scale})`,
        }}
      />
    </div>
  )
}

function PreviewDetails({ preview: { bytes, links, warnings, unknownVariables } }: { preview: Preview }) {
  return (
    <div style={{ marginTop: 8 }}>
      <p className="small t2">
        {count(Math.ceil(bytes / 1024))} KB · {plural(links.length, 'link')}
      </p>
      {warnings.map(({ message }) => (
        <p key={message} className="small" style={{ color: 'var(--warn)' }}>
          {message}
        </p>
      ))}
      {/* A variable can be in both the HTML and the generated text: list it once. */}
      {[...new Map(unknownVariables.map((each) => [each.variable, each])).values()].map(({ variable, nearest }) => (
        <p key={variable} className="small" style={{ color: 'var(--warn)' }}>
          <span className="code">{variable}</span> isn’t a known variable
          {nearest !== null && (
            <>
              . Did you mean <span className="code">{nearest}</span>?
            </>
          )}
        </p>
      ))}
    </div>
  )
}
