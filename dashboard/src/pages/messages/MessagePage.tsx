import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useCampaignName } from '../../api/queries.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { MESSAGE_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import { ToContact } from '../../components/ToContact.tsx'
import { count } from '../../lib/format.ts'
import { ToList } from '../../layout/ToList.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { useAutomations } from '../automations/use-automations.ts'
import { SentEmail, useMessage } from '../contact/SentEmail.tsx'
import { ResolveUnconfirmed } from '../contact/Timeline.tsx'

/** A message with its status, its events and its content. */
export function MessagePage() {
  const { messageId } = useParams({ from: '/w/$workspaceId/messages/$messageId' })
  const { data: message, error, refetch } = useMessage(messageId, { refetchMs: 5_000 })
  if (!message)
    return (
      <Page title="Message" narrow>
        {error ? <ErrorBanner error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={8} />}
      </Page>
    )
  return (
    <Page
      parent={<ToList list="messages">Messages</ToList>}
      title={message.subject ?? 'No subject'}
      narrow
      meta={<StatusBadge status={MESSAGE_STATUS[message.status]} />}
    >
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {message.status === 'UNCONFIRMED' && <ResolveUnconfirmed id={message.id} />}
      <Section title="Details">
        <Details of={message} />
      </Section>
      <Section title="Events">
        <Events of={message} />
      </Section>
      <Section title="Content">
        <SentEmail message={message} />
      </Section>
    </Page>
  )
}

type Message = Schemas['MessageDetail']

function Details({ of: message }: { of: Message }) {
  const facts: readonly (readonly [string, ReactNode])[] = [
    [
      'To',
      <ToContact className="link" contactId={message.contactId} key="to">
        <bdi>{message.to ?? 'Contact'}</bdi>
      </ToContact>,
    ],
    ['Source', <Source of={message} key="source" />],
    ['Reason', message.error],
    ['Server response', message.response],
    ['Attempts', count(message.attempts)],
    ['Message-ID', message.messageId],
  ]
  return (
    <dl className="facts">
      {facts.map(
        ([label, value]) =>
          value !== null && (
            <Fact key={label} label={label}>
              {value}
            </Fact>
          ),
      )}
    </dl>
  )
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <>
    <dt>{label}</dt>
    <dd style={{ overflowWrap: 'anywhere' }}>{children}</dd>
  </>
)

/** Links to what the message belongs to. */
function Source({ of: { automationId, campaignId } }: { of: Message }) {
  const { workspace } = useWorkspace()
  const campaignName = useCampaignName()
  const { rows } = useAutomations()
  const params = { workspaceId: workspace.id }
  if (campaignId !== null)
    return (
      <Link className="link" to="/w/$workspaceId/campaigns/$campaignId" params={{ ...params, campaignId }}>
        {campaignName(campaignId) ?? 'Campaign'}
      </Link>
    )
  if (automationId === null) return 'Transactional email'
  return (
    <Link className="link" to="/w/$workspaceId/automations/$automationId" params={{ ...params, automationId }}>
      {rows?.find(({ automation }) => automation.id === automationId)?.automation.name ?? 'Automation'}
    </Link>
  )
}

/** Lists what happened to the message, in order. */
function Events({ of: message }: { of: Message }) {
  const events = [
    ['Due', message.createdAt],
    ['Retry requested', message.retryAt],
    ['Accepted by the mail server', message.sentAt],
    ['Delivered', message.deliveredAt],
    ['Opened', message.openedAt],
    ...message.clicks.map(({ url, at }) => [`Clicked ${url}`, at] as const),
  ] as const
  return (
    <dl className="facts">
      {events
        .flatMap(([label, at]) => (at === null ? [] : [{ label, at }]))
        .toSorted((a, b) => a.at.localeCompare(b.at))
        .map(({ label, at }) => (
          <Fact key={label} label={label}>
            <Time at={at} as="date" />
          </Fact>
        ))}
    </dl>
  )
}
