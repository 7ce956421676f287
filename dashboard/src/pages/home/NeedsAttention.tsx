import { Button } from '@mantine/core'
import {
  IconClock,
  IconPlayerPause,
  IconPlugConnectedX,
  IconQuestionMark,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useStats, useServiceStatus } from '../../api/queries.ts'
import { useUnconfirmedMessage } from '../../api/use-unconfirmed-message.ts'
import { useHasRole, useWorkspaceQuery, useWorkspace } from '../../api/workspace.tsx'
import { totalOf } from '../../components/MessageBreakdown.tsx'
import { useAutomationsWithStats } from './use-active-automations.ts'
import { plural } from '../../lib/format.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import classes from './HomePage.module.css'

/** What waits for somebody: it does not go on by itself, or it does not go on now. */
export function NeedsAttention() {
  const { data: figures, error, refetch } = useStats()
  const { data: unconfirmed } = useWorkspaceQuery(
    ['messages', 'unconfirmed'],
    async (api, signal) =>
      (await api.GET('/messages', { params: { query: { status: 'UNCONFIRMED', limit: 3 } }, signal })).data.data,
    { enabled: (figures?.unconfirmed ?? 0) > 0, refetchMs: 10_000 },
  )
  const { data: deferred } = useWorkspaceQuery(
    ['messages', 'deferred'],
    async (api, signal) =>
      (await api.GET('/messages', { params: { query: { status: 'DEFERRED', limit: 1 } }, signal })).data.data,
    { enabled: (figures?.deferred ?? 0) > 0, refetchMs: 10_000 },
  )
  const { data: service } = useServiceStatus()
  const { workspace } = useWorkspace()
  const { data: automations } = useAutomationsWithStats()
  if (error) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  if (!figures) return <SkeletonRows rows={3} />
  const failure = workspace.mode === 'live' ? (service?.mail.failure ?? null) : null
  const hasNoWorker = service?.temporal.workers === 0
  const failing = (automations ?? []).filter(({ figures: { days } }) => isFailing(days.at(-1)!.messages))
  const waiting =
    [figures.unconfirmed, figures.held, figures.deferred].filter((value) => value > 0).length +
    failing.length +
    (failure === null ? 0 : 1) +
    (hasNoWorker ? 1 : 0)
  return (
    <Section title="Needs a decision" meta={waiting}>
      {waiting === 0 && <p className="t2">Nothing. What is due goes out by itself.</p>}
      {failure !== null && (
        <AttentionItem meaning="bad" icon={IconPlugConnectedX} title="The mail server does not let us in">
          <span className="mono">{failure}</span> What is due waits, and goes out when it does.
        </AttentionItem>
      )}
      {hasNoWorker && (
        <AttentionItem meaning="bad" icon={IconPlugConnectedX} title="No worker runs">
          Nothing is sent until one does: <span className="code">npm run worker</span>
        </AttentionItem>
      )}
      {failing.map(({ automation, figures: { days } }) => (
        <AttentionItem key={automation.id} meaning="bad" icon={IconX} title={`“${automation.name}” fails`}>
          {plural(days.at(-1)!.messages.failed, 'message')} of the last 24 hours{' '}
          {days.at(-1)!.messages.failed === 1 ? 'was' : 'were'} refused for good.{' '}
          <Link
            className="link"
            to="/w/$workspaceId/messages"
            params={{ workspaceId: workspace.id }}
            search={{ status: 'FAILED', automationId: automation.id }}
          >
            Look at them
          </Link>
        </AttentionItem>
      ))}
      {figures.unconfirmed > 0 &&
        (unconfirmed ?? []).map((message) => <UnconfirmedItem key={message.id} message={message} />)}
      {figures.unconfirmed > 3 && (
        <p className="small t3">And {plural(figures.unconfirmed - 3, 'more unconfirmed message')}.</p>
      )}
      {figures.held > 0 && (
        <AttentionItem
          meaning="warn"
          icon={IconPlayerPause}
          title={`${plural(figures.held, 'contact')} ${figures.held === 1 ? 'is' : 'are'} held`}
        >
          Their automation is paused or a draft, and an email is due for them. It goes out when the automation is active
          again.
        </AttentionItem>
      )}
      {figures.deferred > 0 && (
        <AttentionItem
          meaning="warn"
          icon={IconClock}
          title={`${plural(figures.deferred, 'message')} ${figures.deferred === 1 ? 'waits' : 'wait'} for another try`}
        >
          {deferred?.[0]?.error ? (
            <>
              The last one: <span className="mono">{deferred[0].error}</span>
            </>
          ) : (
            'The mail server did not take them. They are tried again by themselves.'
          )}
        </AttentionItem>
      )}
    </Section>
  )
}

/** A refusal now and then is a mailbox that is gone. */
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
  const { workspace } = useWorkspace()
  const canEdit = useHasRole('editor')
  const { resend, dismiss, error } = useUnconfirmedMessage(message.id)
  return (
    <AttentionItem
      meaning="ask"
      icon={IconQuestionMark}
      title="1 message is unconfirmed"
      actions={
        canEdit && (
          <>
            <Button onClick={() => resend.mutate()} loading={resend.isPending}>
              Send again
            </Button>
            <Button variant="subtle" color="gray" onClick={() => dismiss.mutate()} loading={dismiss.isPending}>
              Dismiss
            </Button>
          </>
        )
      }
    >
      “{message.subject ?? 'An email'}” to{' '}
      <Link
        className="link"
        to="/w/$workspaceId/contacts/$contactId"
        params={{ workspaceId: workspace.id, contactId: message.contactId }}
      >
        {message.to ?? 'its contact'}
      </Link>
      , <Time at={message.createdAt} />. Nobody knows whether it arrived: sent again, it may arrive twice.
      {error && <ErrorBanner error={error} scrollsIntoView />}
    </AttentionItem>
  )
}
