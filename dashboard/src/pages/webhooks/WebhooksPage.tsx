import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useHasRole, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Page } from '../../layout/Page.tsx'
import { count } from '../../lib/format.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { DeliveryAside } from './DeliveryAside.tsx'
import { SecretCard } from './SecretCard.tsx'
import { WebhookDetail } from './WebhookDetail.tsx'
import { WebhookForm } from './WebhookForm.tsx'
import classes from './webhooks.module.css'
import { eventsInWords, nameOf, type NewWebhook, statusOf, type Webhook } from './webhooks.ts'

const REFETCH_MS = 5_000

export function WebhooksPage() {
  const { workspace } = useWorkspace()
  const canEdit = useHasRole('editor')
  const { id, delivery } = useSearch({ from: '/w/$workspaceId/webhooks' })
  const navigate = useNavigate({ from: '/w/$workspaceId/webhooks' })
  const [isCreating, { open, close }] = useDisclosure()
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
          <Button variant="filled" leftSection={<IconPlus aria-hidden />} onClick={open}>
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
          onDone={close}
        />
      )}
      <DataTable<Webhook>
        label="Webhooks"
        rows={data}
        error={error}
        onRetry={() => void refetch()}
        idOf={(webhook) => webhook.id}
        isCurrent={(webhook) => webhook.id === selected?.id}
        columns={COLUMNS}
        link={(webhook, title) => (
          <Link to="/w/$workspaceId/webhooks" params={{ workspaceId: workspace.id }} search={{ id: webhook.id }}>
            {title}
          </Link>
        )}
        empty={
          !isCreating && (
            <p className="t2">
              Webhooks tell your server what happens, such as unsubscribes, bounces and new contacts.
            </p>
          )
        }
      />
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

const COLUMNS: readonly Column<Webhook>[] = [
  {
    id: 'webhook',
    head: 'Webhook',
    phone: 'title',
    wraps: true,
    cell: (webhook) => (
      <>
        <span className="strong">{nameOf(webhook)}</span>
        {webhook.url !== null && webhook.description !== null && (
          <span className="small t3"> {webhook.description}</span>
        )}
      </>
    ),
  },
  {
    id: 'events',
    head: 'Events',
    wraps: true,
    cell: ({ events }) => <span className="t2">{eventsInWords(events)}</span>,
  },
  {
    id: 'status',
    head: 'Status',
    phone: 'state',
    cell: (webhook) => <StatusBadge status={statusOf(webhook)} plain />,
  },
  {
    id: 'deliveries',
    head: 'Deliveries',
    isNumber: true,
    phone: 'number',
    cell: ({ deliveries: { pending, failed } }) => (
      <span className="t2">
        {count(pending)} pending
        {failed > 0 && `, ${count(failed)} failed`}
      </span>
    ),
  },
]
