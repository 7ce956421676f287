import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useHasRole, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Page } from '../../layout/Page.tsx'
import { count } from '../../lib/format.ts'
import { DeliveryAside } from './DeliveryAside.tsx'
import { SecretCard } from './SecretCard.tsx'
import { WebhookDetail } from './WebhookDetail.tsx'
import { WebhookForm } from './WebhookForm.tsx'
import classes from './webhooks.module.css'
import { eventsInWords, nameOf, type NewWebhook, statusOf } from './webhooks.ts'

const REFETCH_MS = 5_000

export function WebhooksPage() {
  const { workspace } = useWorkspace()
  const canEdit = useHasRole('editor')
  const { id, delivery } = useSearch({ from: '/w/$workspaceId/webhooks' })
  const navigate = useNavigate({ from: '/w/$workspaceId/webhooks' })
  const [isCreating, setIsCreating] = useState(false)
  const [created, setCreated] = useState<NewWebhook>()
  const { data, error, refetch } = useWorkspaceQuery(
    ['webhooks'],
    async (api, signal) => (await api.GET('/webhooks', { signal })).data.data,
    { refetchMs: REFETCH_MS },
  )
  const selected = data?.find((webhook) => webhook.id === id) ?? data?.[0]
  return (
    <Page
      title="Webhooks"
      meta={data && data.length > 0 && <span className="t3">{count(data.length)}</span>}
      aside={selected && delivery !== undefined && <DeliveryAside webhookId={selected.id} deliveryId={delivery} />}
      actions={
        canEdit && (
          <Button variant="filled" leftSection={<IconPlus aria-hidden />} onClick={() => setIsCreating(true)}>
            New webhook
          </Button>
        )
      }
    >
      {created && (
        <SecretCard
          secret={created.secret}
          title={`Secret of ${created.url ?? 'the webhook'}`}
          onDone={() => setCreated(undefined)}
        />
      )}
      {isCreating && (
        <WebhookForm
          onCreated={(made) => {
            setCreated(made)
            void navigate({ search: { id: made.id } })
          }}
          onDone={() => setIsCreating(false)}
        />
      )}
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows />}
      {data?.length === 0 && !isCreating && (
        <p className="t2">Webhooks tell your server what happens, such as unsubscribes, bounces and new contacts.</p>
      )}
      {data && data.length > 0 && (
        <table className="table stacked">
          <thead>
            <tr>
              <th>Webhook</th>
              <th className="wide">Events</th>
              <th>Status</th>
              <th className="num">Deliveries</th>
            </tr>
          </thead>
          <tbody>
            {data.map((webhook) => (
              <tr key={webhook.id} aria-current={webhook.id === selected?.id || undefined}>
                <td className="strong" data-cell="title">
                  <Link
                    to="/w/$workspaceId/webhooks"
                    params={{ workspaceId: workspace.id }}
                    search={{ id: webhook.id }}
                    style={{ overflowWrap: 'anywhere' }}
                  >
                    {nameOf(webhook)}
                  </Link>
                  {webhook.url !== null && webhook.description !== null && (
                    <span className="small t3"> {webhook.description}</span>
                  )}
                </td>
                <td className="wide t2">{eventsInWords(webhook.events)}</td>
                <td data-cell="state">
                  <StatusBadge status={statusOf(webhook)} plain />
                </td>
                <td className="num t2" data-cell="number">
                  {count(webhook.deliveries.pending)} pending
                  {webhook.deliveries.failed > 0 && `, ${count(webhook.deliveries.failed)} failed`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {selected && (
        <div className={classes.detail}>
          <WebhookDetail
            key={selected.id}
            webhook={selected}
            onDeleted={() => void navigate({ search: {}, replace: true })}
          />
        </div>
      )}
    </Page>
  )
}
