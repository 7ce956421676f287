import { ActionIcon, Button } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useHasRole, useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { NextStepTime, Time } from '../../components/Time.tsx'
import { omit } from '../../lib/omit.ts'
import { deliveryStatus, toneOf } from './webhooks.ts'
import classes from './webhooks.module.css'

/** A delivery with its request and its responses. */
export function DeliveryAside({ webhookId, deliveryId }: { webhookId: string; deliveryId: string }) {
  const { api } = useWorkspace()
  const canEdit = useHasRole('editor')
  const invalidate = useInvalidate()
  const navigate = useNavigate({ from: '/w/$workspaceId/webhooks' })
  const path = { id: webhookId, deliveryId }
  const { data, error, refetch } = useWorkspaceQuery(
    ['webhooks', webhookId, 'deliveries', deliveryId, 'one'],
    async (get, signal) =>
      (await get.GET('/webhooks/{id}/deliveries/{deliveryId}', { params: { path }, signal })).data.data,
    { refetchMs: 5_000 },
  )
  const replay = useMutation({
    mutationFn: () => api.POST('/webhooks/{id}/deliveries/{deliveryId}/replay', { params: { path } }),
    onSuccess: () => void invalidate('webhooks'),
  })
  if (error) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows rows={4} />
  const attempts = data.log.toReversed()
  return (
    <section aria-label={`Delivery of ${data.type}`} className={classes.delivery}>
      <div className="row">
        <h2 className="mono">{data.type}</h2>
        <StatusBadge status={deliveryStatus(data)} />
        <ActionIcon
          className="push"
          aria-label="Close"
          onClick={() => void navigate({ search: (shown) => omit(shown, 'delivery'), replace: true })}
        >
          <IconX />
        </ActionIcon>
      </div>
      {replay.isError && <ErrorBanner error={replay.error} />}
      {canEdit && (
        <div className="row">
          <Button onClick={() => replay.mutate()} loading={replay.isPending}>
            Send again
          </Button>
          <CurlButton call={{ method: 'POST', path: `/webhooks/${webhookId}/deliveries/${deliveryId}/replay` }} />
        </div>
      )}
      <dl className={classes.facts}>
        <dt>Event ID</dt>
        <dd className="mono">{data.id}</dd>
        <dt>Time</dt>
        <dd>
          <Time at={data.createdAt} />
        </dd>
        {data.nextAttemptAt !== null && (
          <>
            <dt>Next attempt</dt>
            <dd>
              <NextStepTime at={data.nextAttemptAt} />
            </dd>
          </>
        )}
      </dl>
      <h3>Attempts</h3>
      {attempts.length === 0 && <p className="t2">None yet.</p>}
      {attempts.length > data.attempts && <p className="small t2">Including those before it was sent again.</p>}
      <ul className={classes.attempts}>
        {attempts.map((attempt) => (
          <li key={attempt.at}>
            <span className={`${classes.response} ${toneOf(attempt.status)}`}>{attempt.status ?? 'No response'}</span>
            <span className="t3">
              {attempt.durationMs} ms, <Time at={attempt.at} />
            </span>
            {attempt.problem !== null && <span className="t2">{attempt.problem}</span>}
          </li>
        ))}
      </ul>
      {attempts[0]?.response && (
        <>
          <h3>Response</h3>
          <pre className={`mono ${classes.code}`} tabIndex={0}>
            {attempts[0].response}
          </pre>
        </>
      )}
      <h3>Request</h3>
      <pre className={`mono ${classes.code}`} tabIndex={0}>
        {JSON.stringify(data.request.body, null, 2)}
      </pre>
    </section>
  )
}
