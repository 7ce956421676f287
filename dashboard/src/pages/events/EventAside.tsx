import type { Schemas } from '../../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { type Use, UsedIn } from '../../components/UsedIn.tsx'
import { Section } from '../../layout/Page.tsx'
import { plural } from '../../lib/format.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { AskButton } from '../../primitives/AskButton.tsx'
import { AsidePanel } from '../../primitives/AsidePanel.tsx'

type EventName = Schemas['EventName']
type Property = EventName['properties'][number]

/** Shows the data of an event as it was sent, what uses it, and a misspelled name. */
export function EventAside({ event, onClose }: { event: EventName; onClose: () => void }) {
  const { name, properties, usedBy, similarTo } = event
  const mixed = properties.filter(({ types }) => types.filter((type) => type !== 'null').length > 1)
  const uses = [
    ...usedBy.automations.map((automation): Use => ({ kind: 'AUTOMATION', ...automation })),
    ...usedBy.segments.map((segment): Use => ({ kind: 'SEGMENT', ...segment })),
  ]
  return (
    <AsidePanel label="Event" title={<span className="mono">{name}</span>} onClose={onClose}>
      <Section title="Data" meta="of the newest events">
        <DataTable<Property>
          label="Properties"
          rows={properties}
          idOf={(property) => property.name}
          columns={PROPERTY_COLUMNS}
          empty={<p className="t2">No event had data.</p>}
        />
        {mixed.map((property) => (
          <p key={property.name} className="small" style={{ color: 'var(--warn)', marginTop: 8 }}>
            <span className="code">{property.name}</span> has values of several types. A condition that compares numbers
            ignores texts.
          </p>
        ))}
      </Section>
      <Section title="Used by" meta={uses.length}>
        <UsedIn uses={uses} none="No automation and no segment uses it." />
      </Section>
      {similarTo !== null && <SimilarName event={event} similarTo={similarTo} onDone={onClose} />}
    </AsidePanel>
  )
}

const PROPERTY_COLUMNS: readonly Column<Property>[] = [
  { id: 'name', head: 'Property', phone: 'title', cell: ({ name }) => <span className="mono">{name}</span> },
  {
    id: 'types',
    head: 'Type',
    phone: 'state',
    cell: ({ types }) => <span className="t2">{types.map((type) => TYPES[type]).join(' or ')}</span>,
  },
]

const TYPES: Record<Property['types'][number], string> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  object: 'object',
  array: 'list',
  null: 'empty',
}

/** Offers to delete the events of a name that is probably misspelled. */
function SimilarName({ event, similarTo, onDone }: { event: EventName; similarTo: string; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const canEdit = useHasRole('editor')
  const path = { name: event.name }
  return (
    <Section title="Similar name">
      <p className="t2">
        {plural(event.count, 'event')} of the last 30 days, and nothing uses the name. This is probably a typo for{' '}
        <span className="code">{similarTo}</span> in your app.
      </p>
      {canEdit && (
        <AskButton
          label="Delete these events…"
          button={{ variant: 'default' }}
          confirmLabel="Delete events"
          path={`/events/names/${encodeURIComponent(event.name)}`}
          description={`All events with the name “${event.name}” are deleted. This can’t be undone.`}
          action={async () => {
            await api.DELETE('/events/names/{name}', { params: { path } })
            await invalidate('events')
            onDone()
          }}
        />
      )}
    </Section>
  )
}
