import { ActionIcon, Button, SegmentedControl } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useCursorList } from '../../api/cursor-list.ts'
import { ContactLink } from '../../components/ContactLink.tsx'
import {
  EVENT_OUTCOMES,
  effectText,
  type EventOutcome,
  EventOutcomeBadge,
  outcomeLabel,
  outcomeOf,
} from '../../components/EventOutcome.tsx'
import { LoadMoreButton } from '../../components/LoadMoreButton.tsx'
import { timeOf } from '../../lib/format.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import classes from './events.module.css'

type StoredEvent = Schemas['StoredEvent']

const TAIL_MS = 3_000

/** Lists events as they arrive, newest first. It stands still while the pointer is on it or an event is open. */
export function EventTail({ name }: { name: string | undefined }) {
  const [isPaused, setPaused] = useState(false)
  const [isHovered, setHovered] = useState(false)
  const [outcome, setOutcome] = useState<EventOutcome | 'all'>('all')
  const [openId, setOpenId] = useState<string>()
  const isStill = isPaused || isHovered || openId !== undefined
  const { rows, error, refetch, nextPage } = useCursorList(
    ['events', 'tail', name],
    async (api, page, signal) =>
      (await api.GET('/events', { params: { query: { ...page, ...(name !== undefined && { name }) } }, signal })).data,
    isStill ? {} : { refetchMs: TAIL_MS },
  )
  const shown = rows?.filter((event) => outcome === 'all' || outcomeOf(event) === outcome)
  return (
    <>
      <div className={classes.bar}>
        <span className="t2" role="status">
          {isPaused ? 'Paused' : isStill ? 'Paused while you read' : 'Receiving'}
          {name !== undefined && `, only ${name}`}
        </span>
        <SegmentedControl
          className={`push ${classes.outcomes}`}
          aria-label="Outcome"
          value={outcome}
          onChange={(value) => setOutcome(value)}
          data={[
            { value: 'all', label: 'All' },
            ...EVENT_OUTCOMES.map((value) => ({ value, label: outcomeLabel(value) })),
          ]}
        />
        <Button
          leftSection={isPaused ? <IconPlayerPlay aria-hidden /> : <IconPlayerPause aria-hidden />}
          onClick={() => setPaused(!isPaused)}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      </div>
      <div onPointerEnter={() => setHovered(true)} onPointerLeave={() => setHovered(false)}>
        <DataTable<StoredEvent>
          label="Live tail"
          rows={shown}
          error={error}
          onRetry={refetch}
          idOf={({ id }) => id}
          columns={columnsOf(openId, setOpenId)}
          below={({ id, data }) =>
            id === openId && <pre className={classes.data}>{JSON.stringify(data ?? {}, null, 2)}</pre>
          }
          empty={
            <p className="t2">{outcome === 'all' ? 'No events yet.' : 'No event with this outcome among these.'}</p>
          }
        />
      </div>
      <LoadMoreButton of={nextPage} />
    </>
  )
}

const columnsOf = (
  openId: string | undefined,
  onOpen: (id: string | undefined) => void,
): readonly Column<StoredEvent>[] => [
  {
    id: 'time',
    head: 'Time',
    phone: 'number',
    cell: ({ firedAt }) => (
      <time className="mono t2" dateTime={firedAt} title={firedAt}>
        {timeOf(new Date(firedAt))}
      </time>
    ),
  },
  { id: 'name', head: 'Event', phone: 'title', cell: ({ name }) => <span className="mono">{name}</span> },
  { id: 'contact', head: 'Contact', phone: 'about', cell: ({ contactId }) => <ContactLink contactId={contactId} /> },
  { id: 'outcome', head: 'Outcome', phone: 'state', cell: (event) => <EventOutcomeBadge of={event} /> },
  {
    id: 'effect',
    head: 'Automations',
    wraps: true,
    cell: (event) => <span className="t2">{effectText(event)}</span>,
  },
  {
    id: 'actions',
    head: 'Actions',
    hidesHead: true,
    isNumber: true,
    phone: 'actions',
    cell: ({ id, name }) => (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Data of ${name}`}
        aria-expanded={openId === id}
        onClick={() => onOpen(openId === id ? undefined : id)}
      >
        {openId === id ? <IconChevronUp aria-hidden /> : <IconChevronDown aria-hidden />}
      </ActionIcon>
    ),
  },
]
