import type { ComboboxItem } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { ContactSelect } from '../../components/ContactSelect.tsx'
import { explainProblem } from '../../lib/liquid-problem.ts'
import { safeHtml } from '../../lib/safe-html.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { imagesIn, useWebImages } from '../../components/media/web-images.ts'
import { SendTestButton } from '../../components/SendTestButton.tsx'
import classes from './Builder.module.css'
import type { EmailStep } from './steps.ts'

const PAUSE_MS = 400

/** Previews the email while the user types. */
export function StepPreview({ step }: { step: EmailStep }) {
  const [{ subject, html, text, category }] = useDebouncedValue(step, PAUSE_MS)
  const [contact, setContact] = useState<ComboboxItem | null>(null)
  const contactId = contact?.value ?? null
  const { data, error } = useWorkspaceQuery(
    ['preview', subject, html, text, category, contactId],
    async (api, signal) => {
      const body = { subject, html, text, category, ...(contactId !== null && { contactId }) }
      return (await api.POST('/emails/preview', { body, signal })).data.data
    },
  )
  const images = useWebImages(data?.html ? imagesIn(data.html) : [])
  return (
    <section aria-label="Preview">
      <ContactSelect label="Preview as" value={contact} onChange={setContact} />
      {error && <ErrorBanner error={error} />}
      {data && (
        <div className={classes.preview}>
          <div className={classes.envelope}>
            <p className="strong">{data.subject ?? '…'}</p>
            <p className="small t3">to {data.to}</p>
          </div>
          {data.problems.map(({ field, problem }) => (
            <p key={field} className="small" role="alert" style={{ color: 'var(--bad)', padding: '8px 12px' }}>
              {field}: {explainProblem(problem)}
            </p>
          ))}
          {data.unknownVariables.map(({ field, variable, nearest }) => (
            <p key={`${field} ${variable}`} className="small" style={{ color: 'var(--warn)', padding: '8px 12px' }}>
              {field}: <span className="code">{variable}</span> isn’t a known variable
              {nearest !== null && (
                <>
                  . Did you mean <span className="code">{nearest}</span>?
                </>
              )}
            </p>
          ))}
          {data.html !== null ? (
            // The sandbox and the page's CSP block scripts and requests.
            <iframe className={classes.frame} title="Email" sandbox="" srcDoc={safeHtml(data.html, images)} />
          ) : (
            data.text !== null && <pre className={classes.plain}>{data.text}</pre>
          )}
        </div>
      )}
      <SendTestButton
        email={{
          subject: step.subject,
          html: step.html,
          text: step.text,
          category: step.category,
          ...(contactId !== null && { contactId }),
        }}
      >
        Send test email
      </SendTestButton>
    </section>
  )
}
