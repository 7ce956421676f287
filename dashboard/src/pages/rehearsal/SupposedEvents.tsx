import { Button, Popover } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { plural } from '../../lib/format.ts'
import { EventData } from './EventData.tsx'
import { ReceivedEvents } from './ReceivedEvents.tsx'
import classes from './rehearsal.module.css'
import type { RehearsedFor, Supposed } from './scenario.ts'

/** The event that enrolls a contact, and those that they are supposed to have afterwards. */
export const SupposedEvents = ({
  rehearsedFor,
  enrolledBy,
  supposed,
  onChange,
}: {
  rehearsedFor: RehearsedFor
  /** The name of the event, if an event enrolls contacts. */
  enrolledBy: string | undefined
  supposed: Supposed
  onChange: (supposed: Supposed) => void
}) => (
  <>
    {enrolledBy !== undefined && (
      <EnrollingEvent name={enrolledBy} data={supposed.data} onChange={(data) => onChange({ ...supposed, data })} />
    )}
    <ReceivedEvents
      rehearsedFor={rehearsedFor}
      events={supposed.events}
      onChange={(events) => onChange({ ...supposed, events })}
    />
  </>
)

/** The data of the event that enrolls a contact, on a button and in its popover. */
function EnrollingEvent({
  name,
  data,
  onChange,
}: {
  name: string
  data: Supposed['data']
  onChange: (data: Supposed['data']) => void
}) {
  const properties = Object.keys(data).length
  return (
    <Popover position="bottom-start" width={360} trapFocus shadow="md" radius="md">
      <Popover.Target>
        <Button leftSection={<IconPlayerPlay size={14} aria-hidden />}>
          Enrolled by {name}
          {properties > 0 && `, ${plural(properties, 'property', 'properties')}`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={classes.events} role="group" aria-label="Enrolling event">
          <p className="small t2">The event that enrolls the contact. Filters and emails read its data.</p>
          <EventData value={data} onChange={onChange} />
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}
