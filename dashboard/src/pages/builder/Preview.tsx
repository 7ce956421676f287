import type { ComboboxItem } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useRead } from '../../api/workspace.tsx'
import { ContactSelect } from '../../parts/ContactSelect.tsx'
import { safeHtml } from '../../parts/safe-html.ts'
import { Problem } from '../../parts/Problem.tsx'
import { SendToMe } from '../../parts/SendToMe.tsx'
import classes from './Builder.module.css'
import type { EmailStep } from './sequence.ts'

const PAUSE_MS = 400

/** The email as it would be sent to a contact, as one types. */
export function Preview({ step }: { step: EmailStep }) {
  const [{ subject, html, text }] = useDebouncedValue(step, PAUSE_MS)
  const [contact, setContact] = useState<ComboboxItem | null>(null)
  const contactId = contact?.value ?? null
  const { data, error } = useRead(['preview', subject, html, text, contactId], async (api, signal) => {
    const body = { subject, html, text, ...(contactId !== null && { contactId }) }
    return (await api.POST('/emails/preview', { body, signal })).data.data
  })
  return (
    <section aria-label="Preview">
      <ContactSelect label="Preview for" value={contact} onChange={setContact} />
      {error && <Problem error={error} />}
      {data && (
        <div className={classes.preview}>
          <div className={classes.envelope}>
            <p className="strong">{data.subject ?? '…'}</p>
            <p className="small t3">to {data.to}</p>
          </div>
          {data.problems.map(({ field, problem }) => (
            <p key={field} className="small" role="alert" style={{ color: 'var(--bad)', padding: '8px 12px' }}>
              {field}: {problem}
            </p>
          ))}
          {data.unknownVariables.map(({ field, variable, nearest }) => (
            <p key={`${field} ${variable}`} className="small" style={{ color: 'var(--warn)', padding: '8px 12px' }}>
              {field}: <span className="code">{variable}</span> is empty in every email
              {nearest !== null && (
                <>
                  ; is <span className="code">{nearest}</span> meant?
                </>
              )}
            </p>
          ))}
          {data.html !== null ? (
            // Nothing in it runs, and nothing is fetched: neither is allowed to this page at all.
            <iframe className={classes.frame} title="The email" sandbox="" srcDoc={safeHtml(data.html)} />
          ) : (
            data.text !== null && <pre className={classes.plain}>{data.text}</pre>
          )}
        </div>
      )}
      <SendToMe
        email={{
          subject: step.subject,
          html: step.html,
          text: step.text,
          ...(contactId !== null && { contactId }),
        }}
      >
        Send it to me
      </SendToMe>
    </section>
  )
}
