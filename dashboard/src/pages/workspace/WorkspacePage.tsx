import { Button, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { useServiceStatus } from '../../api/queries.ts'
import { useHasRole, useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { SendTestButton } from '../../components/SendTestButton.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { NewWorkspace } from './NewWorkspace.tsx'
import classes from './workspace.module.css'

/** The workspace itself, and what its mail leaves by. */
export function WorkspacePage() {
  const isOwner = useHasRole('owner')
  const [isCreating, setIsCreating] = useState(false)
  const { data, error, refetch } = useServiceStatus()
  return (
    <Page
      title="Workspace"
      narrow
      actions={
        isOwner && (
          <Button leftSection={<IconPlus aria-hidden />} onClick={() => setIsCreating(true)}>
            New workspace
          </Button>
        )
      }
    >
      {isCreating && <NewWorkspace onDone={() => setIsCreating(false)} />}
      <NameSection isOwner={isOwner} />
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows rows={6} />}
      {data && <MailSection mail={data.mail} />}
      {data && <ServersSection look={data} />}
    </Page>
  )
}

function NameSection({ isOwner }: { isOwner: boolean }) {
  const { api, workspace } = useWorkspace()
  const client = useQueryClient()
  const [name, setName] = useState(workspace.name)
  const rename = useMutation({
    mutationFn: () => api.PATCH('/workspace', { body: { name } }),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rename.mutate()
  }
  return (
    <Section title="Name and mode">
      <form onSubmit={submit} className="card still" aria-label="Name">
        {rename.isError && <ErrorBanner error={rename.error} scrollsIntoView />}
        <div className={classes.field}>
          <TextInput
            label="Name"
            readOnly={!isOwner}
            value={name}
            onChange={({ currentTarget: { value } }) => setName(value)}
          />
          {isOwner && (
            <Button type="submit" loading={rename.isPending}>
              {rename.isSuccess && name === workspace.name ? 'Renamed' : 'Rename'}
            </Button>
          )}
        </div>
        <p className="t2">
          {workspace.mode === 'test'
            ? 'A test workspace: its email is captured, and none is delivered, for good.'
            : 'A live workspace: its email is delivered wherever a mail server is set.'}
        </p>
        <p className="small t3">
          id <span className="mono">{workspace.id}</span>
        </p>
      </form>
    </Section>
  )
}

type ServiceStatus = Schemas['ServiceLook']

const TEST_EMAIL = { subject: 'From Dripline', text: 'Your mail server has taken this, and it has come to you.' }

function MailSection({ mail }: { mail: ServiceStatus['mail'] }) {
  const { workspace } = useWorkspace()
  const isDelivered = mail.mode === 'smtp' && workspace.mode === 'live'
  return (
    <Section title="Sender and mail server">
      <dl className="facts">
        <dt>Email is</dt>
        <dd>{isDelivered ? 'Delivered' : 'Captured: kept here as it would have been sent'}</dd>
        <dt>From</dt>
        <dd>{mail.sender ?? <span className="t3">Nobody yet</span>}</dd>
        <dt>Server</dt>
        <dd className={mail.server === null ? '' : 'mono'}>{mail.server ?? <span className="t3">None</span>}</dd>
        {mail.mode === 'smtp' && mail.server !== null && (
          <>
            <dt>It says</dt>
            <dd className={mail.failure === null ? 'c-ok' : 'c-bad'} style={{ color: 'var(--c)' }}>
              {mail.failure ?? 'It lets us in'}
            </dd>
          </>
        )}
      </dl>
      <p className="small t3" style={{ marginTop: 8 }}>
        One for the whole installation, set where it is started: <span className="code">MAIL_FROM</span>,{' '}
        <span className="code">SMTP_URL</span>, and <span className="code">MAIL_CAPTURE</span> to deliver none.
      </p>
      <SendTestButton email={TEST_EMAIL} hint={isDelivered ? undefined : 'It would be captured, as all mail here is.'}>
        Send me a test
      </SendTestButton>
    </Section>
  )
}

function ServersSection({ look: { postgres, temporal } }: { look: ServiceStatus }) {
  const { uiUrl, workers, isReachable, namespace } = temporal
  return (
    <Section title="Servers">
      <dl className="facts">
        <dt>Postgres</dt>
        <dd>
          <Reachable is={postgres.isReachable} />
        </dd>
        <dt>Temporal</dt>
        <dd>
          <Reachable is={isReachable} />
          {uiUrl !== null && (
            <>
              {' · '}
              <a className="link" href={`${uiUrl}/namespaces/${namespace}/workflows`} target="_blank" rel="noreferrer">
                Open its page
              </a>
            </>
          )}
        </dd>
        <dt>Workers</dt>
        <dd className={workers === 0 ? 'c-bad' : ''} style={workers === 0 ? { color: 'var(--c)' } : undefined}>
          {workers === null ? 'Not known' : workers === 0 ? 'None: nothing is sent. npm run worker' : workers}
        </dd>
      </dl>
    </Section>
  )
}

const Reachable = ({ is }: { is: boolean }) => (
  <span className={is ? 'c-ok' : 'c-bad'} style={{ color: 'var(--c)' }}>
    {is ? 'Reachable' : 'Not reachable'}
  </span>
)
