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
import { useFigures, useService } from '../../api/reads.ts'
import { useUnconfirmed } from '../../api/unconfirmed.ts'
import { useMay, useRead, useWorkspace } from '../../api/workspace.tsx'
import { totalOf } from '../../parts/Account.tsx'
import { useBusyAutomations } from './busy-automations.ts'
import { things } from '../../parts/numbers.ts'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Time } from '../../parts/Time.tsx'
import { Part } from '../../shell/Page.tsx'
import classes from './HomePage.module.css'

/** What waits for somebody: it does not go on by itself, or it does not go on now. */
export function Decisions() {
  const { data: figures, error, refetch } = useFigures()
  const { data: unconfirmed } = useRead(
    ['messages', 'unconfirmed'],
    async (api, signal) =>
      (await api.GET('/messages', { params: { query: { status: 'UNCONFIRMED', limit: 3 } }, signal })).data.data,
    { enabled: (figures?.unconfirmed ?? 0) > 0, everyMs: 10_000 },
  )
  const { data: deferred } = useRead(
    ['messages', 'deferred'],
    async (api, signal) =>
      (await api.GET('/messages', { params: { query: { status: 'DEFERRED', limit: 1 } }, signal })).data.data,
    { enabled: (figures?.deferred ?? 0) > 0, everyMs: 10_000 },
  )
  const { data: service } = useService()
  const { workspace } = useWorkspace()
  const { data: automations } = useBusyAutomations()
  if (error) return <Problem error={error} again={() => void refetch()} />
  if (!figures) return <Rows rows={3} />
  const failure = workspace.mode === 'live' ? (service?.mail.failure ?? null) : null
  const hasNoWorker = service?.temporal.workers === 0
  const failing = (automations ?? []).filter(({ figures: { days } }) => isFailing(days.at(-1)!.messages))
  const waiting =
    [figures.unconfirmed, figures.held, figures.deferred].filter((value) => value > 0).length +
    failing.length +
    (failure === null ? 0 : 1) +
    (hasNoWorker ? 1 : 0)
  return (
    <Part title="Needs a decision" beside={waiting}>
      {waiting === 0 && <p className="t2">Nothing. What is due goes out by itself.</p>}
      {failure !== null && (
        <Decision meaning="bad" icon={IconPlugConnectedX} title="The mail server does not let us in">
          <span className="mono">{failure}</span> What is due waits, and goes out when it does.
        </Decision>
      )}
      {hasNoWorker && (
        <Decision meaning="bad" icon={IconPlugConnectedX} title="No worker runs">
          Nothing is sent until one does: <span className="code">npm run worker</span>
        </Decision>
      )}
      {failing.map(({ automation, figures: { days } }) => (
        <Decision key={automation.id} meaning="bad" icon={IconX} title={`“${automation.name}” fails`}>
          {things(days.at(-1)!.messages.failed, 'message')} of the last 24 hours{' '}
          {days.at(-1)!.messages.failed === 1 ? 'was' : 'were'} refused for good.{' '}
          <Link
            className="link"
            to="/w/$workspaceId/messages"
            params={{ workspaceId: workspace.id }}
            search={{ status: 'FAILED', automationId: automation.id }}
          >
            Look at them
          </Link>
        </Decision>
      ))}
      {figures.unconfirmed > 0 &&
        (unconfirmed ?? []).map((message) => <Unconfirmed key={message.id} message={message} />)}
      {figures.unconfirmed > 3 && (
        <p className="small t3">And {things(figures.unconfirmed - 3, 'more unconfirmed message')}.</p>
      )}
      {figures.held > 0 && (
        <Decision
          meaning="warn"
          icon={IconPlayerPause}
          title={`${things(figures.held, 'contact')} ${figures.held === 1 ? 'is' : 'are'} held`}
        >
          Their automation is paused or a draft, and an email is due for them. It goes out when the automation is active
          again.
        </Decision>
      )}
      {figures.deferred > 0 && (
        <Decision
          meaning="warn"
          icon={IconClock}
          title={`${things(figures.deferred, 'message')} ${figures.deferred === 1 ? 'waits' : 'wait'} for another try`}
        >
          {deferred?.[0]?.error ? (
            <>
              The last one: <span className="mono">{deferred[0].error}</span>
            </>
          ) : (
            'The mail server did not take them. They are tried again by themselves.'
          )}
        </Decision>
      )}
    </Part>
  )
}

/** A refusal now and then is a mailbox that is gone. */
const isFailing = (messages: Schemas['MessageCounts']): boolean =>
  messages.failed >= 3 && messages.failed > totalOf(messages) / 10

function Decision({
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

function Unconfirmed({ message }: { message: Schemas['MessageSummary'] }) {
  const { workspace } = useWorkspace()
  const may = useMay('editor')
  const { resend, dismiss, error } = useUnconfirmed(message.id)
  return (
    <Decision
      meaning="ask"
      icon={IconQuestionMark}
      title="1 message is unconfirmed"
      actions={
        may && (
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
      {error && <Problem error={error} isAnswer />}
    </Decision>
  )
}
