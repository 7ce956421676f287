import { Autocomplete, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useMetadataKeys } from '../../../api/queries.ts'
import { omit } from '../../../lib/omit.ts'
import { AUTOMATION_ZONES } from '../../../lib/time-zones.ts'
import { SearchableSelect } from '../../../components/SearchableSelect.tsx'
import classes from '../Builder.module.css'
import { WEEKDAY_LABELS } from '../describe-step.ts'
import type { WaitTarget, WaitUntilStep, Weekday } from '../steps.ts'
import { MinutesFields } from './MinutesFields.tsx'
import type { FieldsProps } from './StepFields.tsx'

const WEEKDAYS = Object.keys(WEEKDAY_LABELS) as Weekday[]

type Mode = 'time' | 'date' | 'field'
const modeOf = ({ at, field }: WaitTarget): Mode => (at !== undefined ? 'date' : field !== undefined ? 'field' : 'time')
const NEW_TARGETS: Readonly<Record<Mode, WaitTarget>> = {
  time: { timeOfDay: '09:00' },
  date: { at: '' },
  field: { field: 'contact.metadata.' },
}

/** Edits a wait for a date, or for a time of day. */
export function WaitUntilFields({ step, edit, isNew }: FieldsProps<WaitUntilStep>) {
  const { until, timezone, ifPast } = step
  const mode = modeOf(until)
  const set = (next: WaitTarget) => edit({ until: next })
  return (
    <div className={classes.fields}>
      <Select
        label="Wait until"
        autoFocus={isNew}
        allowDeselect={false}
        data={[
          { value: 'time', label: 'A time of day or a weekday' },
          { value: 'date', label: 'A date' },
          { value: 'field', label: 'A date of the contact or the event' },
        ]}
        value={mode}
        onChange={(value) => value && value !== mode && set(NEW_TARGETS[value])}
      />
      {mode === 'date' && (
        <TextInput
          label="Date and time"
          type="datetime-local"
          value={until.at ?? ''}
          onChange={({ currentTarget: { value } }) => set({ ...until, at: value })}
        />
      )}
      {mode === 'field' && <DateFieldFields until={until} set={set} />}
      {mode !== 'date' && <TimeFields until={until} set={set} />}
      <SearchableSelect
        label="Time zone"
        data={AUTOMATION_ZONES}
        value={timezone}
        onChange={(value) => value !== null && edit({ timezone: value })}
      />
      {mode !== 'time' && (
        <Select
          label="If the time has passed"
          allowDeselect={false}
          data={[
            { value: 'continue', label: 'Continue immediately' },
            { value: 'exit', label: 'Exit the automation' },
          ]}
          value={ifPast}
          onChange={(value) => value && edit({ ifPast: value })}
        />
      )}
    </div>
  )
}

interface TargetProps {
  until: WaitTarget
  set: (until: WaitTarget) => void
}

const FIELD_KINDS = [
  { value: 'contact.metadata.', label: 'Attribute of the contact' },
  { value: 'event.data.', label: 'Data of the event' },
  { value: 'contact.createdAt', label: 'Creation of the contact' },
]

function DateFieldFields({ until, set }: TargetProps) {
  const keys = useMetadataKeys()
  const { field = '' } = until
  const rest = omit(until, 'offsetMinutes')
  const offset = until.offsetMinutes ?? 0
  // Kept while the duration is 0.
  const [side, setSide] = useState<'before' | 'after'>(offset > 0 ? 'after' : 'before')
  const kind = FIELD_KINDS.find(({ value }) => field.startsWith(value))?.value ?? 'contact.metadata.'
  const key = field.slice(kind.length)
  const setOffset = (minutes: number, to: 'before' | 'after') =>
    set({ ...rest, field, ...(minutes !== 0 && { offsetMinutes: to === 'before' ? -minutes : minutes }) })
  return (
    <>
      <Select
        label="Date"
        allowDeselect={false}
        data={FIELD_KINDS}
        value={kind}
        onChange={(value) => value && set({ ...until, field: value })}
      />
      {kind !== 'contact.createdAt' && (
        <Autocomplete
          label="Key"
          placeholder="trialEndsAt"
          data={kind === 'contact.metadata.' ? [...keys] : []}
          value={key}
          onChange={(value) => set({ ...until, field: `${kind}${value}` })}
        />
      )}
      <Select
        label="Before or after"
        allowDeselect={false}
        data={[
          { value: 'before', label: 'Before the date' },
          { value: 'after', label: 'After the date' },
        ]}
        value={offset === 0 ? side : offset < 0 ? 'before' : 'after'}
        onChange={(value) => {
          setSide(value as typeof side)
          setOffset(Math.abs(offset), value as typeof side)
        }}
      />
      <MinutesFields minutes={Math.abs(offset)} onChange={(minutes) => setOffset(minutes, side)} />
    </>
  )
}

function TimeFields({ until, set }: TargetProps) {
  const { timeOfDay, weekdays = [], ...rest } = until
  const change = (time: string | undefined, days: Weekday[]) =>
    set({
      ...rest,
      ...(time !== undefined && time !== '' && { timeOfDay: time }),
      ...(days.length > 0 && { weekdays: days }),
    })
  return (
    <>
      <TextInput
        label="Time of day"
        type="time"
        value={timeOfDay ?? ''}
        onChange={({ currentTarget: { value } }) => change(value, weekdays)}
      />
      <div>
        <p className={classes.legend} id="weekdays">
          Weekdays
        </p>
        <div className={classes.weekdays} role="group" aria-labelledby="weekdays">
          {WEEKDAYS.map((day) => {
            const isOn = weekdays.includes(day)
            return (
              <button
                key={day}
                type="button"
                className={classes.weekday}
                aria-pressed={isOn}
                onClick={() =>
                  change(
                    timeOfDay,
                    WEEKDAYS.filter((each) => (each === day ? !isOn : weekdays.includes(each))),
                  )
                }
              >
                {WEEKDAY_LABELS[day].slice(0, 3)}
              </button>
            )
          })}
        </div>
        <p className="small t3">If none is selected, every day counts.</p>
      </div>
    </>
  )
}
