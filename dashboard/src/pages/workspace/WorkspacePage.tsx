import { Button, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { useServiceStatus } from '../../api/queries.ts'
import { useHasRole, useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ConfirmAction } from '../../components/ConfirmAction.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { SendTestButton } from '../../components/SendTestButton.tsx'
import { count, plural } from '../../lib/format.ts'
import { TIME_ZONES } from '../../lib/time-zones.ts'
import { Page, Section } from '../../layout/Page.tsx'
import { NewWorkspace } from './NewWorkspace.tsx'
import { TestClock } from './TestClock.tsx'
import classes from './workspace.module.css'

/** The settings of the workspace, and the status of its servers. */
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
      <SettingsSections isOwner={isOwner} />
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
            ? 'Test workspace: emails are captured and never delivered.'
            : 'Live workspace: emails are delivered if a mail server is set up.'}
        </p>
        <p className="small t3">
          ID <span className="mono">{workspace.id}</span>
        </p>
      </form>
    </Section>
  )
}

function SettingsSections({ isOwner }: { isOwner: boolean }) {
  const { workspace } = useWorkspace()
  const { data, error, refetch } = useWorkspaceQuery(
    ['settings'],
    async (api, signal) => (await api.GET('/workspace', { signal })).data.data,
  )
  if (error) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  const isTest = workspace.mode === 'test'
  return (
    <>
      {isTest && (
        <Section title="Test clock">
          {data ? <TestClock aheadMinutes={data.clockAheadMinutes} /> : <SkeletonRows rows={1} />}
        </Section>
      )}
      <Section title="Time zone">
        {data ? <TimeZoneForm isOwner={isOwner} stored={data.timezone} /> : <SkeletonRows rows={1} />}
      </Section>
      <Section title="Retention">
        {data ? (
          <div className="card still">
            <RetentionForm
              isOwner={isOwner}
              setting="eventRetentionDays"
              stored={data.eventRetentionDays}
              label="Keep custom events for (days)"
              description="Older events are deleted permanently, within minutes."
            />
            <RetentionForm
              isOwner={isOwner}
              setting="contentRetentionDays"
              stored={data.contentRetentionDays}
              label="Keep the content of sent emails for (days)"
              description="Of older emails, only the subject, the recipient and the results stay. Campaigns keep their content."
            />
            <RetentionForm
              isOwner={isOwner}
              setting="historyRetentionDays"
              stored={data.historyRetentionDays}
              label="Keep messages and enrollment steps for (days)"
              description="At least 30. Leave empty to keep them. Older ones are deleted permanently."
            />
            <StorageEstimate />
          </div>
        ) : (
          <SkeletonRows rows={2} />
        )}
      </Section>
    </>
  )
}

function StorageEstimate() {
  const { data } = useWorkspaceQuery(
    ['storage'],
    async (api, signal) => (await api.GET('/workspace/storage', { signal })).data.data,
  )
  if (!data) return <SkeletonRows rows={1} />
  return (
    <p className="small t2" style={{ marginTop: 8 }}>
      {plural(data.messages, 'message is stored', 'messages are stored')}, about {megabytes(data.bytes)}. The last 30
      days added {count(data.recentMessages)}, about {megabytes(data.recentBytes)}.
    </p>
  )
}

const megabytes = (bytes: number): string => `${count(Math.ceil(bytes / 1024 ** 2))} MB`

function TimeZoneForm({ isOwner, stored }: { isOwner: boolean; stored: string }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const save = useMutation({
    mutationFn: (timezone: string) => api.PATCH('/workspace', { body: { timezone } }),
    onSuccess: () => invalidate('settings'),
  })
  return (
    <div className="card still">
      {save.isError && <ErrorBanner error={save.error} scrollsIntoView />}
      <SearchableSelect
        label="Time zone"
        description="Applies to contacts without a time zone. Changes are saved immediately."
        disabled={!isOwner || save.isPending}
        data={[...new Set([stored, ...TIME_ZONES])].map((zone) => ({ value: zone, label: zone }))}
        value={save.isPending ? save.variables : stored}
        onChange={(zone) => zone !== null && zone !== stored && save.mutate(zone)}
      />
    </div>
  )
}

interface RetentionFormProps {
  isOwner: boolean
  setting: 'eventRetentionDays' | 'contentRetentionDays' | 'historyRetentionDays'
  /** Null for no limit. */
  stored: number | null
  label: string
  description: string
}

/** Asks before days that are fewer than the stored ones, because what is older is then deleted. */
function RetentionForm({ isOwner, setting, stored, label, description }: RetentionFormProps) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const shown = stored === null ? '' : String(stored)
  const [days, setDays] = useState(shown)
  const [isAsking, setIsAsking] = useState(false)
  const wanted = setting === 'historyRetentionDays' && days.trim() === '' ? null : Number(days)
  const patch = () => api.PATCH('/workspace', { body: { [setting]: wanted } })
  const save = useMutation({ mutationFn: patch, onSuccess: () => invalidate('settings') })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (wanted !== null && wanted < (stored ?? Infinity)) setIsAsking(true)
    else save.mutate()
  }
  return (
    <form onSubmit={submit} onChange={() => save.isError && save.reset()} aria-label={label}>
      {save.isError && <ErrorBanner error={save.error} scrollsIntoView />}
      <div className={classes.field}>
        <TextInput
          label={label}
          description={description}
          inputMode="numeric"
          readOnly={!isOwner}
          value={days}
          onChange={({ currentTarget: { value } }) => setDays(value)}
        />
        {isOwner && (
          <Button type="submit" loading={save.isPending}>
            {save.isSuccess && days === shown ? 'Saved' : 'Save'}
          </Button>
        )}
      </div>
      {isAsking && (
        <ConfirmAction
          confirmLabel={`Delete after ${days} days`}
          description="What is older is deleted permanently, within minutes."
          action={() => patch().then(() => invalidate('settings'))}
          onDone={() => setIsAsking(false)}
        />
      )}
    </form>
  )
}

type ServiceStatus = Schemas['ServiceStatus']

const TEST_EMAIL = {
  subject: 'Test email from Dripline',
  text: 'Your mail server works: it accepted and delivered this email.',
}

function MailSection({ mail }: { mail: ServiceStatus['mail'] }) {
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
                Open Temporal UI
              </a>
            </>
          )}
        </dd>
        <dt>Workers</dt>
        <dd className={workers === 0 ? 'c-bad' : ''} style={workers === 0 ? { color: 'var(--c)' } : undefined}>
          {workers === null
            ? 'Unknown'
            : workers === 0
              ? 'None running: nothing is sent. Start one with npm run worker.'
              : workers}
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
