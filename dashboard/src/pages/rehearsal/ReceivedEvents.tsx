import { Button, Popover } from '@mantine/core'
import { IconBolt, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { EventNameInput } from '../../components/EventNameInput.tsx'
import { IntegerInput } from '../../components/IntegerInput.tsx'
import { plural } from '../../lib/format.ts'
import { MAX_WAIT_DAYS } from '../builder/problems.ts'
import { EventData } from './EventData.tsx'
import classes from './rehearsal.module.css'
import type { RehearsedFor, SupposedEvent } from './scenario.ts'

const NEW_EVENT: SupposedEvent = { eventName: '', days: 1, percent: 100, data: {} }

/** The events that a contact is supposed to have, on the button and in its popover. */
export function ReceivedEvents({
  rehearsedFor,
  events,
  onChange,
}: {
  rehearsedFor: RehearsedFor
  events: readonly SupposedEvent[]
  onChange: (events: readonly SupposedEvent[]) => void
}) {
  /** The event that was added last, which gets the focus. */
  const [added, setAdded] = useState<number>()
  const set = (n: number, change: Partial<SupposedEvent>) => onChange(events.with(n, { ...events[n]!, ...change }))
  return (
    <Popover position="bottom-start" width={360} trapFocus shadow="md" radius="md">
      <Popover.Target>
        <Button leftSection={<IconBolt size={14} aria-hidden />}>Received: {labelOf(events, rehearsedFor)}</Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={classes.events} role="group" aria-label="Supposed events">
          <p className="small t2">Add events that happen after the contact is enrolled.</p>
          {events.map((event, n) => (
            <fieldset key={n} className={`plainFields ${classes.event}`} aria-label={`Event ${n + 1}`}>
              <EventNameInput
                label="Event"
                placeholder="order.placed"
                autoFocus={n === added}
                value={event.eventName}
                onChange={(eventName) => set(n, { eventName })}
              />
              <IntegerInput
                label="Days after enrolling"
                min={0}
                max={MAX_WAIT_DAYS}
                value={event.days}
                onChange={(days) => days !== null && set(n, { days })}
              />
              {rehearsedFor === 'audience' && (
                <IntegerInput
                  label="Percent of the contacts"
                  min={0}
                  max={100}
                  value={event.percent}
                  onChange={(percent) => percent !== null && set(n, { percent })}
                />
              )}
              <EventData value={event.data} onChange={(data) => set(n, { data })} />
              <Button variant="subtle" color="gray" onClick={() => onChange(events.toSpliced(n, 1))}>
                Remove event
              </Button>
            </fieldset>
          ))}
          <Button
            leftSection={<IconPlus aria-hidden />}
            onClick={() => {
              setAdded(events.length)
              onChange([...events, NEW_EVENT])
            }}
          >
            Add event
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}

function labelOf(events: readonly SupposedEvent[], rehearsedFor: RehearsedFor): string {
  const named = events.filter(({ eventName }) => eventName.trim() !== '')
  const [first] = named
  if (!first) return 'no events'
  if (named.length > 1) return plural(named.length, 'event')
  const share = rehearsedFor === 'audience' && first.percent < 100 ? `, ${first.percent}%` : ''
  return `${first.eventName.trim()} ${first.days === 0 ? 'at once' : `after ${plural(first.days, 'day')}`}${share}`
}
