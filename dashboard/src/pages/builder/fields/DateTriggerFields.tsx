import { Autocomplete, Select, TextInput } from '@mantine/core'
import { useMetadataKeys } from '../../../api/queries.ts'
import { SearchableSelect } from '../../../components/SearchableSelect.tsx'
import { omit } from '../../../lib/omit.ts'
import { AUTOMATION_ZONES } from '../../../lib/time-zones.ts'

const METADATA = 'contact.metadata.'
const CREATED_AT = 'contact.createdAt'

type Config = Record<string, unknown>

/** Edits a trigger that starts at a date of the contact. */
export function DateTriggerFields({ config, set }: { config: Config; set: (config: Config) => void }) {
  const keys = useMetadataKeys()
  const text = (key: string, fallback: string) => {
    const value = config[key]
    return typeof value === 'string' ? value : fallback
  }
  const field = text('field', METADATA)
  const days = typeof config['offsetDays'] === 'number' ? config['offsetDays'] : 0
  return (
    <>
      <Select
        label="Date"
        allowDeselect={false}
        data={[
          { value: METADATA, label: 'Attribute of the contact' },
          { value: CREATED_AT, label: 'Creation of the contact' },
        ]}
        value={field === CREATED_AT ? CREATED_AT : METADATA}
        onChange={(value) => set(value === CREATED_AT ? { ...config, field: CREATED_AT } : omit(config, 'field'))}
      />
      {field !== CREATED_AT && (
        <Autocomplete
          label="Key"
          placeholder="birthday"
          data={[...keys]}
          value={field.slice(METADATA.length)}
          onChange={(key) => set(key === '' ? omit(config, 'field') : { ...config, field: `${METADATA}${key}` })}
        />
      )}
      <Select
        label="Repeat"
        allowDeselect={false}
        data={[
          { value: 'YEARLY', label: 'Every year' },
          { value: 'ONCE', label: 'Once' },
        ]}
        value={text('repeat', 'YEARLY')}
        onChange={(repeat) => set({ ...config, repeat })}
      />
      <TextInput
        label="Days after the date"
        description="A negative number starts before the date."
        type="number"
        min={-366}
        max={366}
        value={days}
        onChange={({ currentTarget: { valueAsNumber } }) =>
          set({ ...config, offsetDays: Number.isNaN(valueAsNumber) ? 0 : Math.trunc(valueAsNumber) })
        }
      />
      <TextInput
        label="Time of day"
        type="time"
        value={text('timeOfDay', '09:00')}
        onChange={({ currentTarget: { value } }) =>
          set(value === '' ? omit(config, 'timeOfDay') : { ...config, timeOfDay: value })
        }
      />
      <SearchableSelect
        label="Time zone"
        data={AUTOMATION_ZONES}
        value={text('timezone', 'contact')}
        onChange={(timezone) => timezone !== null && set({ ...config, timezone })}
      />
    </>
  )
}
