import { Button, PasswordInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ConfirmAction } from '../../components/ConfirmAction.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import { CopyableValue } from './CopyableValue.tsx'
import classes from './sender.module.css'

type Source = Schemas['FeedbackSource']

const NAMES: Record<string, string> = {
  ses: 'Amazon SES',
  sendgrid: 'SendGrid',
  postmark: 'Postmark',
  mailgun: 'Mailgun',
}

/** Connects email providers that report bounces and complaints through webhooks. */
export function ProviderWebhooks() {
  const { data, error, refetch } = useWorkspaceQuery(
    ['feedback-sources'],
    async (api, signal) => (await api.GET('/feedback-sources', { signal })).data.data,
  )
  return (
    <Section title="Bounce and complaint webhooks">
      <p className="t2">
        Let your email provider report bounces and complaints, so that Dripline suppresses those addresses. Enter the
        webhook URL at the provider, and its signing secret here.
      </p>
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      <ul className={classes.records}>
        {data?.map((source) => (
          <ProviderCard key={source.provider} source={source} />
        ))}
      </ul>
    </Section>
  )
}

function ProviderCard({ source }: { source: Source }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const isOwner = useHasRole('owner')
  const [isAsked, setPending] = useState(false)
  const { provider, url, isSet, lastUsedAt } = source
  const name = NAMES[provider] ?? provider
  return (
    <li className="card still">
      <div className="row">
        <h3 className="strong">{name}</h3>
        <span className="push t2">
          {!isSet ? (
            'Not connected'
          ) : lastUsedAt === null ? (
            'Connected, no events yet'
          ) : (
            <>
              Last event <Time at={lastUsedAt} />
            </>
          )}
        </span>
      </div>
      <dl className={classes.record}>
        <CopyableValue label="Webhook URL" text={url} />
      </dl>
      {isOwner && <CredentialForm source={source} name={name} />}
      {isOwner && isSet && !isAsked && (
        <Button variant="subtle" color="gray" onClick={() => setPending(true)}>
          Disconnect {name}…
        </Button>
      )}
      {isAsked && (
        <ConfirmAction
          confirmLabel={`Disconnect ${name}`}
          description="The secret is deleted and its webhooks are rejected."
          action={async () => {
            await api.DELETE('/feedback-sources/{provider}', { params: { path: { provider } } })
            await invalidate('feedback-sources')
          }}
          onDone={() => setPending(false)}
        />
      )}
    </li>
  )
}

function CredentialForm({ source, name }: { source: Source; name: string }) {
  const { provider, credential: what, isSet } = source
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [credential, setCredential] = useState('')
  const save = useMutation({
    mutationFn: () => api.PUT('/feedback-sources/{provider}', { params: { path: { provider } }, body: { credential } }),
    onSuccess: () => {
      setCredential('')
      return invalidate('feedback-sources')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form
      onSubmit={submit}
      onChange={() => save.isError && save.reset()}
      aria-label={`${name} credentials`}
      style={{ marginTop: 8 }}
    >
      <UnsavedChangesGuard isDirty={credential !== ''} isSending={save.isPending} />
      {save.isError && <ErrorBanner error={save.error} scrollsIntoView />}
      <div className="row" style={{ alignItems: 'end', flexWrap: 'wrap' }}>
        <PasswordInput
          label={what}
          description={isSet ? 'Stored encrypted. Enter a new value to replace it.' : 'Stored encrypted.'}
          autoComplete="off"
          style={{ flex: '1 1 260px' }}
          value={credential}
          onChange={({ currentTarget: { value } }) => setCredential(value)}
        />
        <Button type="submit" loading={save.isPending}>
          Connect {name}
        </Button>
      </div>
    </form>
  )
}
