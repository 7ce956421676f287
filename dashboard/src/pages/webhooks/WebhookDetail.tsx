import { Button, Menu, ActionIcon } from '@mantine/core'
import { IconDots, IconSend } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ConfirmAction } from '../../components/ConfirmAction.tsx'
import { ConfirmDelete } from '../../components/ConfirmDelete.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Notice } from '../../components/Notice.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import { count, plural } from '../../lib/format.ts'
import { Deliveries } from './Deliveries.tsx'
import { SecretCard } from './SecretCard.tsx'
import { WebhookForm } from './WebhookForm.tsx'
import classes from './webhooks.module.css'
import { nameOf, statusOf, type Webhook } from './webhooks.ts'

type Action = 'edit' | 'rotate' | 'delete'

/** A webhook with its deliveries. */
export function WebhookDetail({ webhook, onDeleted }: { webhook: Webhook; onDeleted: () => void }) {
  const { api } = useWorkspace()
  const canEdit = useHasRole('editor')
  const isOwner = useHasRole('owner')
  const invalidate = useInvalidate()
  const [action, setAction] = useState<Action>()
  const [secret, setSecret] = useState<string>()
  const params = { path: { id: webhook.id } }
  const close = () => setAction(undefined)
  const run = useMutation({
    mutationFn: (task: () => Promise<unknown>) => task(),
    onSuccess: () => void invalidate('webhooks'),
  })
  const isEnabled = webhook.status === 'ENABLED'
  const setStatus = (status: Webhook['status']) =>
    run.mutate(() => api.PATCH('/webhooks/{id}', { params, body: { status } }))
  const retry = () =>
    run.mutate(() =>
      api.POST('/webhooks/{id}/replay', {
        params,
        body: { since: webhook.createdAt, status: 'FAILED' },
      }),
    )
  return (
    <Section title={nameOf(webhook)} meta={<StatusBadge status={statusOf(webhook)} />}>
      {canEdit && (
        <div className={classes.actions}>
          <Button
            leftSection={<IconSend aria-hidden />}
            disabled={!isEnabled}
            loading={run.isPending}
            onClick={() => run.mutate(() => api.POST('/webhooks/{id}/test', { params }))}
          >
            Send test event
          </Button>
          <Button onClick={() => setAction('edit')}>Edit</Button>
          <Menu>
            <Menu.Target>
              <ActionIcon aria-label="More actions">
                <IconDots />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {isOwner && (
                <Menu.Item
                  onClick={() =>
                    run.mutate(async () =>
                      setSecret((await api.GET('/webhooks/{id}/secret', { params })).data.data.secret),
                    )
                  }
                >
                  Show secret
                </Menu.Item>
              )}
              <Menu.Item onClick={() => setAction('rotate')}>Rotate secret…</Menu.Item>
              <Menu.Item onClick={() => setStatus(isEnabled ? 'DISABLED' : 'ENABLED')}>
                {isEnabled ? 'Disable' : 'Enable'}
              </Menu.Item>
              <Menu.Item onClick={() => setAction('delete')}>Delete…</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </div>
      )}
      {run.isError && <ErrorBanner error={run.error} scrollsIntoView />}
      <Health webhook={webhook} onEnable={canEdit ? () => setStatus('ENABLED') : undefined} />
      {webhook.deliveries.failed > 0 && (
        <p className="small t2">
          {plural(webhook.deliveries.failed, 'delivery', 'deliveries')} failed.{' '}
          {canEdit && isEnabled && (
            <Button variant="subtle" onClick={retry} loading={run.isPending}>
              Send failed events again
            </Button>
          )}
        </p>
      )}
      {webhook.previousSecretUntil !== null && (
        <p className="small t2">
          Requests are also signed with the previous secret until <Time at={webhook.previousSecretUntil} as="date" />.
        </p>
      )}
      {secret !== undefined && (
        <SecretCard secret={secret} title="Signing secret" onDone={() => setSecret(undefined)} />
      )}
      {action === 'edit' && <WebhookForm webhook={webhook} onDone={close} />}
      {action === 'rotate' && (
        <ConfirmAction
          confirmLabel="Rotate secret"
          description="Creates a new secret. The current one also signs requests for 24 hours, so that you can replace it."
          action={async () => {
            setSecret((await api.POST('/webhooks/{id}/rotate-secret', { params })).data.data.secret)
            void invalidate('webhooks')
          }}
          onDone={close}
        />
      )}
      {action === 'delete' && (
        <ConfirmDelete
          object="webhook"
          path={`/webhooks/${webhook.id}`}
          description={`${plural(webhook.deliveries.pending, 'pending delivery', 'pending deliveries')} will not be sent.`}
          action={async () => {
            await api.DELETE('/webhooks/{id}', { params })
            void invalidate('webhooks')
            onDeleted()
          }}
          onDone={close}
        />
      )}
      <Deliveries webhook={webhook} />
    </Section>
  )
}

/** States a problem of the webhook and what happens next. */
function Health({ webhook, onEnable }: { webhook: Webhook; onEnable: (() => void) | undefined }) {
  const { status, disabledReason, disabledAt, failingSince, deliveries } = webhook
  const waiting = `${count(deliveries.pending)} ${deliveries.pending === 1 ? 'delivery waits' : 'deliveries wait'}, and nothing is lost.`
  if (status === 'DISABLED')
    return (
      <Notice
        title={
          disabledReason === 'GONE'
            ? 'Disabled: the server responded with 410'
            : disabledReason === 'FAILING'
              ? 'Disabled: every attempt failed for three days'
              : 'Disabled'
        }
      >
        <p>
          Since <Time at={disabledAt} as="date" />. No events are recorded for this webhook.{' '}
          {deliveries.pending > 0 && waiting}
        </p>
        {onEnable && <Button onClick={onEnable}>Enable webhook</Button>}
      </Notice>
    )
  if (failingSince === null) return null
  return (
    <Notice title="Attempts fail">
      <p>
        Since <Time at={failingSince} as="date" />. {waiting} After three days without a success, the webhook is
        disabled.
      </p>
    </Notice>
  )
}
