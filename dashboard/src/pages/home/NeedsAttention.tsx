import { Button } from '@mantine/core'
import {
  IconClock,
  IconListCheck,
  IconPlayerPause,
  IconPlugConnectedX,
  IconQuestionMark,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react'
import { ToContact } from '../../components/ToContact.tsx'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useStats, useServiceStatus } from '../../api/queries.ts'
import { useUnconfirmedMessage } from '../../api/use-unconfirmed-message.ts'
import { useHasRole, useWorkspaceQuery, useWorkspace } from '../../api/workspace.tsx'
import { totalOf } from '../../components/MessageBreakdown.tsx'
import { useAutomationsWithStats } from './use-active-automations.ts'
import { plural } from '../../lib/format.ts'
import { ServerReply } from '../../components/ServerReply.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import classes from './HomePage.module.css'

/** Lists problems that need a decision or delay messages. */
export function NeedsAttention() {
  const { data: stats, error, refetch } = useStats()
  const { data: unconfirmed } = useWorkspaceQuery(
    ['messages', 'unconfirmed'],
    async (api, signal) =>
      (await api.GET('/messages', { params: { query: { status: 'UNCONFIRMED', limit: 3 } }, signal })).data.data,
    { enabled: (stats?.unconfirmed ?? 0) > 0, refetchMs: 10_000 },
  )
  const { data: deferred } = useWorkspaceQuery(
    ['messages', 'deferred'],
    async (api, signal) =>
      (await api.GET('/messages', { params: { query: { status: 'DEFERRED', limit: 1 } }, signal })).data.data,
    { enabled: (stats?.deferred ?? 0) > 0, refetchMs: 10_000 },
  )
  const { data: proposals } = useWorkspaceQuery(
    ['proposals', 'pending'],
    async (api, signal) =>
      (await api.GET('/proposals', { params: { query: { status: 'PENDING', limit: 1 } }, signal })).data,
    { refetchMs: 10_000 },
  )
  const proposed = proposals?.pagination.total ?? 0
  const { data: service } = useServiceStatus()
  const { workspace } = useWorkspace()
  const { data: automations } = useAutomationsWithStats()
  if (error) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  if (!stats) return <SkeletonRows rows={3} />
  const failure = workspace.mode === 'live' ? (service?.mail.failure ?? null) : null
  const hasNoWorker = service?.temporal.workers === 0
  const failing = (automations ?? []).filter(({ stats: { days } }) => isFailing(days.at(-1)!.messages))
  const waiting =
    [stats.paused, stats.deferred].filter((value) => value > 0).length +
    // Each of them is an item.
    stats.unconfirmed +
    failing.length +
    (failure === null ? 0 : 1) +
    (hasNoWorker ? 1 : 0) +
    (proposed > 0 ? 1 : 0)
  return (
    <Section title="Needs attention" meta={waiting}>
      {waiting === 0 && <p className="t2">You’re all caught up.</p>}
      {failure !== null && (
        <AttentionItem meaning="bad" icon={IconPlugConnectedX} title="Can’t connect to the mail server">
          <span className="mono">{failure}</span> Emails will be sent as soon as the connection works again.
        </AttentionItem>
      )}
      {hasNoWorker && (
        <AttentionItem meaning="bad" icon={IconPlugConnectedX} title="No worker is running">
          Nothing is being sent. Start one: <span className="code">npm run worker</span>
        </AttentionItem>
      )}
      {proposed > 0 && (
        <AttentionItem meaning="ask" icon={IconListCheck} title={`${plural(proposed, 'proposal')} to review`}>
          An API key proposed to publish an automation or send a campaign.{' '}
          <Link
            className="link"
            to="/w/$workspaceId/proposals"
            params={{ workspaceId: workspace.id }}
            search={{ status: 'PENDING' }}
          >
            View proposals
          </Link>
        </AttentionItem>
      )}
      {failing.map(({ automation, stats: { days } }) => (
        <AttentionItem key={automation.id} meaning="bad" icon={IconX} title={`“${automation.name}” is failing`}>
          {plural(days.at(-1)!.messages.failed, 'message')} failed in the last 24 hours.{' '}
          <Link
            className="link"
            to="/w/$workspaceId/messages"
            params={{ workspaceId: workspace.id }}
            search={{ status: 'FAILED', automationId: automation.id }}
          >
            View messages
          </Link>
        </AttentionItem>
      ))}
      {stats.unconfirmed > 0 &&
        (unconfirmed ?? []).map((message) => <UnconfirmedItem key={message.id} message={message} />)}
      {stats.unconfirmed > 3 && (
        <p className={`small t3 ${classes.more}`}>And {plural(stats.unconfirmed - 3, 'more unconfirmed message')}.</p>
      )}
      {stats.paused > 0 && (
        <AttentionItem meaning="warn" icon={IconPlayerPause} title={`${plural(stats.paused, 'enrollment')} paused`}>
          Emails are due, but the automation is paused or a draft. They will be sent when it is active again.
        </AttentionItem>
      )}
      {stats.deferred > 0 && (
        <AttentionItem meaning="warn" icon={IconClock} title={`${plural(stats.deferred, 'message')} deferred`}>
          {deferred?.[0]?.error ? (
            <>
              Latest error: <ServerReply reply={deferred[0].error} />
            </>
          ) : (
            'The mail server asked to try later. Dripline retries automatically.'
          )}
        </AttentionItem>
      )}
    </Section>
  )
}

/** A few failures are normal: mailboxes disappear. */
const isFailing = (messages: Schemas['MessageCounts']): boolean =>
  messages.failed >= 3 && messages.failed > totalOf(messages) / 10

function AttentionItem({
  meaning,
  icon: Icon,
  title,
  children,
  actions,
}: {
  meaning: string
  icon: TablerIcon
  title: string
  children: ReactNode
  actions?: ReactNode
}) {
  return (
    <div className={`${classes.decision} c-${meaning}`}>
      <span className={classes.mark} aria-hidden>
        <Icon size={14} stroke={2} />
      </span>
      <h3>{title}</h3>
      <p className="t2">{children}</p>
      {actions !== undefined && <div className="row">{actions}</div>}
    </div>
  )
}

function UnconfirmedItem({ message }: { message: Schemas['MessageSummary'] }) {
  const canEdit = useHasRole('editor')
  const { resend, dismiss, error } = useUnconfirmedMessage(message.id)
  // The application that sent it decides whether to send another one.
  const isTransactional = message.automationId === null && message.campaignId === null
  return (
    <AttentionItem
      meaning="ask"
      icon={IconQuestionMark}
      title="1 unconfirmed message"
      actions={
        canEdit && (
          <>
            {!isTransactional && (
              <Button onClick={() => resend.mutate()} loading={resend.isPending}>
                Resend
              </Button>
            )}
            <Button variant="subtle" color="gray" onClick={() => dismiss.mutate()} loading={dismiss.isPending}>
              Dismiss
            </Button>
          </>
        )
      }
    >
      “{message.subject ?? 'Email'}” to{' '}
      <ToContact className="link" contactId={message.contactId}>
        {message.to ?? 'contact'}
      </ToContact>
      , <Time at={message.createdAt} />. We don’t know whether it arrived.
      {!isTransactional && ' Resending may deliver it twice.'}
      {error && <ErrorBanner error={error} scrollsIntoView />}
    </AttentionItem>
  )
}
