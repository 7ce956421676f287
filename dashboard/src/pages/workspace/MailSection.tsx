import type { Schemas } from '../../api/client.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { SendTestButton } from '../../components/SendTestButton.tsx'
import { Section } from '../../layout/Page.tsx'

const TEST_EMAIL = {
  subject: 'Test email from Dripline',
  text: 'Your mail server works: it accepted and delivered this email.',
}

export function MailSection({ mail }: { mail: Schemas['ServiceStatus']['mail'] }) {
  const { workspace } = useWorkspace()
  const isDelivered = mail.mode === 'smtp' && workspace.mode === 'live'
  return (
    <Section title="Email delivery">
      <dl className="facts">
        <dt>Delivery</dt>
        <dd>{isDelivered ? 'On' : 'Off: emails are captured'}</dd>
        <dt>From</dt>
        <dd>{mail.sender ?? <span className="t3">Not set</span>}</dd>
        <dt>Mail server</dt>
        <dd className={mail.server === null ? '' : 'mono'}>{mail.server ?? <span className="t3">None</span>}</dd>
        {mail.mode === 'smtp' && mail.server !== null && (
          <>
            <dt>Status</dt>
            <dd className={mail.failure === null ? 'c-ok' : 'c-bad'} style={{ color: 'var(--c)' }}>
              {mail.failure ?? 'Connected'}
            </dd>
          </>
        )}
      </dl>
      <p className="small t3" style={{ marginTop: 8 }}>
        Set for the whole instance with <span className="code">MAIL_FROM</span>, <span className="code">SMTP_URL</span>{' '}
        and <span className="code">MAIL_CAPTURE</span>.
      </p>
      <SendTestButton
        email={TEST_EMAIL}
        hint={isDelivered ? undefined : 'It will be captured, like all email in this workspace.'}
      >
        Send test email
      </SendTestButton>
    </Section>
  )
}
