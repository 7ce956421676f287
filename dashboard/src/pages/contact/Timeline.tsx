import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBolt, IconDoorOff, IconLogin2, IconLogout, IconMail, type TablerIcon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useCampaignName } from '../../api/queries.ts'
import { useUnconfirmedMessage } from '../../api/use-unconfirmed-message.ts'
import { useHasRole, useWorkspaceQuery } from '../../api/workspace.tsx'
import { useNow } from '../../lib/clock.ts'
import { dayLabel, timeOf, utc } from '../../lib/format.ts'
import { effectText, EventOutcomeBadge } from '../../components/EventOutcome.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SentenceWithTimes } from '../../components/SentenceWithTimes.tsx'
import { ServerReply } from '../../components/ServerReply.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { ENROLLMENT_STATUS, MESSAGE_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { Section } from '../../layout/Page.tsx'
import { STEP_TYPES } from '../builder/step-types.ts'
import { SentEmail } from './SentEmail.tsx'
import { byDay, type TimelineEntry, timelineOf } from './timeline.ts'
import classes from './contact.module.css'

const MAX_MESSAGES = 50
const MAX_DECISIONS = 100
const MAX_EVENTS = 50

/** Lists the activity of a contact by day, newest first. */
export function Timeline({
  contactId,
  enrollments,
  nameOf,
}: {
  contactId: string
  enrollments: readonly Schemas['Enrollment'][]
  nameOf: (automationId: string) => string
}) {
  const { data, error } = useWorkspaceQuery(
    ['contacts', contactId, 'activity'],
    async (api, signal) => {
      const params = { path: { id: contactId }, query: { limit: MAX_MESSAGES } }
      return (await api.GET('/contacts/{id}/activity', { params, signal })).data.data
    },
    { refetchMs: 5_000 },
  )
  const { data: decisions, error: decisionsError } = useWorkspaceQuery(
    ['contacts', contactId, 'decisions'],
    async (api, signal) => {
      const params = { path: { id: contactId }, query: { limit: MAX_DECISIONS } }
      return (await api.GET('/contacts/{id}/decisions', { params, signal })).data.data
    },
    { refetchMs: 5_000 },
  )
  const { data: events, error: eventsError } = useWorkspaceQuery(
    ['contacts', contactId, 'events'],
    async (api, signal) => {
      const params = { path: { id: contactId }, query: { limit: MAX_EVENTS } }
      return (await api.GET('/contacts/{id}/events', { params, signal })).data.data
    },
    { refetchMs: 5_000 },
  )
  const failure = error ?? decisionsError ?? eventsError
  const now = useNow(60)
  const days = byDay(timelineOf(data ?? [], decisions ?? [], enrollments, events ?? []))
  return (
    <Section title="Activity">
      {failure && <ErrorBanner error={failure} />}
      {!data && !error && <SkeletonRows />}
      {data && days.length === 0 && <p className="t2">No activity yet.</p>}
      {data &&
        days.map(([day, happened]) => (
          <section key={day} className={classes.day}>
            <h3 className="t3">{dayLabel(new Date(day), now)}</h3>
            <ol>
              {happened.map((each) => (
                <Item key={keyOf(each)} of={each} nameOf={nameOf} sent={(message) => <SentEmail message={message} />} />
              ))}
            </ol>
          </section>
        ))}
      {data?.length === MAX_MESSAGES && (
        <p className="small t3">Showing the last {MAX_MESSAGES} emails. Older ones are in Messages.</p>
      )}
    </Section>
  )
}

function keyOf(happening: TimelineEntry): string {
  if (happening.kind === 'message') return happening.message.id
  if (happening.kind === 'decision') return happening.decision.id
  if (happening.kind === 'event') return happening.event.id
  return `${happening.kind} ${happening.enrollment.id}`
}

function Item({
  of,
  nameOf,
  sent,
}: {
  of: TimelineEntry
  nameOf: (automationId: string) => string
  sent: (message: Schemas['Message']) => ReactNode
}) {
  if (of.kind === 'message') return <MessageItem message={of.message} at={of.at} nameOf={nameOf} sent={sent} />
  if (of.kind === 'decision') return <DecisionItem decision={of.decision} at={of.at} />
  if (of.kind === 'event') return <EventItem event={of.event} at={of.at} />
  const { automationId, status, version } = of.enrollment
  const name = <strong>{nameOf(automationId)}</strong>
  return of.kind === 'entered' ? (
    <Line at={of.at} icon={IconLogin2} meaning="mute" beside={`Version ${version}`}>
      Entered {name}
    </Line>
  ) : (
    <Line at={of.at} icon={IconLogout} meaning="mute" beside={<StatusBadge status={ENROLLMENT_STATUS[status]} />}>
      Left {name}
    </Line>
  )
}

function Line({
  at,
  icon: Icon,
  meaning,
  beside,
  children,
}: {
  at: Date
  icon: TablerIcon
  meaning: string
  beside: ReactNode
  children: ReactNode
}) {
  return (
    <li className={classes.item}>
      <time className="mono t3" dateTime={at.toISOString()} title={utc(at)}>
        {timeOf(at).slice(0, 5)}
      </time>
      <span className={`${classes.mark} c-${meaning}`} aria-hidden>
        <Icon />
      </span>
      <div className={classes.content}>{children}</div>
      <span className={`small t2 ${classes.meta}`}>{beside}</span>
    </li>
  )
}

function EventItem({ event, at }: { event: Schemas['StoredEvent']; at: Date }) {
  return (
    <Line at={at} icon={IconBolt} meaning="mute" beside={<EventOutcomeBadge of={event} />}>
      Event <span className="code">{event.name}</span>
      <p className="small t2">{effectText(event)}</p>
    </Line>
  )
}

function DecisionItem({ decision, at }: { decision: Schemas['Decision']; at: Date }) {
  const { automationName, kind, rule, stepType, stepName } = decision
  const step = STEP_TYPES[stepType as keyof typeof STEP_TYPES] as (typeof STEP_TYPES)['WAIT'] | undefined
  const end = kind === 'END' && ENROLLMENT_STATUS[rule as keyof typeof ENROLLMENT_STATUS]
  return (
    <Line
      at={at}
      icon={step?.icon ?? (end ? IconLogout : IconDoorOff)}
      meaning={step?.tone ?? 'mute'}
      beside={end ? <StatusBadge status={end} /> : (stepName ?? step?.label)}
    >
      <SentenceWithTimes of={decision.sentence} />
      <p className="small t2">{automationName ?? 'Deleted automation'}</p>
    </Line>
  )
}

function MessageItem({
  message,
  at,
  nameOf,
  sent,
}: {
  message: Schemas['Message']
  at: Date
  nameOf: (automationId: string) => string
  sent: (message: Schemas['Message']) => ReactNode
}) {
  const [isOpen, { toggle }] = useDisclosure()
  const { subject, status, response, error, automationId, campaignId, deliveredAt, openedAt, clickedAt } = message
  const campaignName = useCampaignName()
  const sourceName =
    automationId !== null
      ? nameOf(automationId)
      : campaignId !== null
        ? (campaignName(campaignId) ?? 'Campaign')
        : 'Transactional email'
  return (
    <Line at={at} icon={IconMail} meaning="accent" beside={<StatusBadge status={MESSAGE_STATUS[status]} />}>
      <button type="button" className={classes.subject} aria-expanded={isOpen} onClick={toggle}>
        {subject ?? 'Email'}
      </button>
      <p className="small t2">
        {sourceName}
        {response !== null && (
          <>
            {' '}
            · <ServerReply reply={response} />
          </>
        )}
        {error !== null && (
          <>
            {' '}
            · <ServerReply reply={error} />
          </>
        )}
        {deliveredAt !== null && ' · Delivered'}
        {openedAt !== null && ' · Opened'}
        {clickedAt !== null && ' · Clicked'}
      </p>
      {status === 'UNCONFIRMED' && <ResolveUnconfirmed id={message.id} />}
      {isOpen && sent(message)}
    </Line>
  )
}

/** Asks whether to resend or dismiss an unconfirmed message. */
export function ResolveUnconfirmed({ id }: { id: string }) {
  const canEdit = useHasRole('editor')
  const { resend, dismiss, error } = useUnconfirmedMessage(id)
  const [isAsking, { open, close }] = useDisclosure()
  return (
    <>
      <p className="small t2">We couldn’t confirm delivery, so Dripline doesn’t resend it automatically.</p>
      {error && <ErrorBanner error={error} scrollsIntoView />}
      {canEdit && (
        <div className="row" style={{ marginTop: 6 }}>
          {isAsking ? (
            <>
              <Button key="sure" variant="filled" loading={resend.isPending} onClick={() => resend.mutate()}>
                Resend (may arrive twice)
              </Button>
              <Button variant="subtle" color="gray" onClick={close}>
                Cancel
              </Button>
            </>
          ) : (
            <>
              <Button key="ask" onClick={open}>
                Resend…
              </Button>
              <Button variant="subtle" color="gray" loading={dismiss.isPending} onClick={() => dismiss.mutate()}>
                Dismiss
              </Button>
            </>
          )}
        </div>
      )}
    </>
  )
}
