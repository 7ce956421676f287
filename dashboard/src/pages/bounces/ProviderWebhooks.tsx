import { Button, PasswordInput } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import { AskButton } from '../../primitives/AskButton.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import { CopyableValue } from '../../components/CopyableValue.tsx'
import classes from './bounces.module.css'

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
      <ul className={classes.providers}>
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
      <dl className={classes.url}>
        <CopyableValue label="Webhook URL" text={url.startsWith('/') ? `${location.origin}${url}` : url} />
      </dl>
      {isOwner && <CredentialForm source={source} name={name} />}
      {isOwner && isSet && (
        <AskButton
          label={`Disconnect ${name}…`}
          confirmLabel={`Disconnect ${name}`}
          description="The secret is deleted and its webhooks are rejected."
          action={async () => {
            await api.DELETE('/feedback-sources/{provider}', { params: { path: { provider } } })
            await invalidate('feedback-sources')
          }}
        />
      )}
    </li>
  )
}

const EMPTY = { credential: '' }

function CredentialForm({ source, name }: { source: Source; name: string }) {
  const { provider, credential: label, isSet } = source
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: EMPTY,
    async send(body) {
      await api.PUT('/feedback-sources/{provider}', { params: { path: { provider } }, body })
      void invalidate('feedback-sources')
    },
    onSent() {
      form.reset()
    },
  })
  return (
    <ApiForm
      form={form}
      label={`${name} credentials`}
      closesWith="view"
      className={`formFields ${classes.credentials}`}
      fieldsClassName={`row ${classes.fieldRow}`}
    >
      <PasswordInput
        label={label}
        description={isSet ? 'Stored encrypted. Enter a new value to replace it.' : 'Stored encrypted.'}
        autoComplete="off"
        visibilityToggleButtonProps={{ tabIndex: 0, 'aria-label': `Show ${name} credential` }}
        className={classes.credential}
        {...form.getInputProps('credential')}
      />
      <Button type="submit" loading={form.request.isPending}>
        Connect {name}
      </Button>
    </ApiForm>
  )
}
