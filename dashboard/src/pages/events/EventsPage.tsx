import { TextInput } from '@mantine/core'
import { IconBolt, IconSearch } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useEvents } from '../../api/queries.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { cappedCount, plural } from '../../lib/format.ts'
import { omit } from '../../lib/omit.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { timeColumn } from '../../primitives/time-column.tsx'
import { EventAside } from './EventAside.tsx'
import { EventTail } from './EventTail.tsx'

type EventName = Schemas['EventName']

/** The number at which the API stops counting. */
const MAX_COUNT = 1_000
const REFRESH_MS = 15_000

/** The names of events with what uses them, and the events as they arrive. */
export function EventsPage() {
  const { workspace } = useWorkspace()
  const search = useSearch({ from: '/w/$workspaceId/events' })
  const { name, q = '' } = search
  const navigate = useNavigate({ from: '/w/$workspaceId/events' })
  const filter = q.trim()
  const { data, error, refetch } = useEvents(REFRESH_MS)
  const selected = data?.find((each) => each.name === name)
  const shown = data?.filter((each) => each.name.toLowerCase().includes(filter.toLowerCase()))
  return (
    <Page
      title="Events"
      meta={data && <span className="t3">{plural(data.length, 'name')}</span>}
      actions={
        <TextInput
          aria-label="Filter by name"
          placeholder="Filter by name"
          leftSection={<IconSearch aria-hidden />}
          value={q}
          onChange={({ currentTarget: { value } }) =>
            void navigate({ search: { ...omit(search, 'q'), ...(value && { q: value }) }, replace: true })
          }
        />
      }
      aside={
        selected && (
          <EventAside
            key={selected.name}
            event={selected}
            onClose={() => void navigate({ search: omit(search, 'name') })}
          />
        )
      }
    >
      <DataTable<EventName>
        label="Events"
        rows={shown}
        error={error}
        onRetry={() => void refetch()}
        idOf={(each) => each.name}
        isCurrent={(each) => each.name === name}
        columns={COLUMNS}
        link={(each, title) => (
          <Link
            to="/w/$workspaceId/events"
            params={{ workspaceId: workspace.id }}
            search={{ ...search, name: each.name }}
          >
            {title}
          </Link>
        )}
        empty={
          q === '' ? (
            <EmptyPage icon={IconBolt} title="No events yet">
              Your app sends events such as <span className="code">trial.started</span> with{' '}
              <span className="code">POST /events</span>. They start and continue automations.
            </EmptyPage>
          ) : (
            <p className="t2">No name contains “{filter}”.</p>
          )
        }
      />
      {data && data.length > 0 && (
        <Section title="Live tail">
          <EventTail key={name} name={name} />
        </Section>
      )}
    </Page>
  )
}

const COLUMNS: readonly Column<EventName>[] = [
  { id: 'name', head: 'Event', phone: 'title', cell: ({ name }) => <span className="mono strong">{name}</span> },
  {
    id: 'count',
    head: 'Last 30 days',
    isNumber: true,
    phone: 'state',
    cell: (each) => cappedCount(each.count, MAX_COUNT),
  },
  timeColumn({ head: 'Last seen', at: ({ lastSeenAt }) => lastSeenAt }, { phone: 'number' }),
  {
    id: 'properties',
    head: 'Properties',
    isNumber: true,
    cell: ({ properties }) => <span className="t2">{properties.length}</span>,
  },
  {
    id: 'used',
    head: 'Used by',
    phone: 'about',
    cell: ({ usedBy: { automations, segments }, similarTo }) =>
      similarTo !== null ? (
        <span style={{ color: 'var(--warn)' }}>
          Similar to <span className="mono">{similarTo}</span>
        </span>
      ) : (
        <span className={automations.length + segments.length === 0 ? 't3' : 't2'}>
          {[
            ...(automations.length > 0 ? [plural(automations.length, 'automation')] : []),
            ...(segments.length > 0 ? [plural(segments.length, 'segment')] : []),
          ].join(', ') || 'Not used'}
        </span>
      ),
  },
]
